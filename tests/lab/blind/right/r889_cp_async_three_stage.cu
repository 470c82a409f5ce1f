// Trijų pakopų konvejeris su cp.async: C = A * B, visos matricos eilutėmis, be tarpų.
// M ir N dalijasi iš 64, K dalijasi iš 16; rodyklės išlygintos 16 baitų (cudaMalloc).
#include <cassert>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

template <int ETAPAI>
__global__ void __launch_bounds__(256)
sandauga(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int N, int K)
{
    __shared__ alignas(16) float sA[ETAPAI][64][16];
    __shared__ alignas(16) float sB[ETAPAI][16][64];

    const int t = threadIdx.x;
    const int ax = (t % 4) * 4, ay = t / 4;        // A gabalas 64 x 16
    const int bx = (t % 16) * 4, by = t / 16;      // B gabalas 16 x 64
    const float* ga = A + (size_t)(blockIdx.x * 64 + ay) * K + ax;
    const float* gb = B + (size_t)by * N + blockIdx.y * 64 + bx;

    auto krauti = [&](int vieta, int zingsnis) {
        __pipeline_memcpy_async(&sA[vieta][ay][ax], ga + zingsnis * 16, 16);
        __pipeline_memcpy_async(&sB[vieta][by][bx], gb + (size_t)zingsnis * 16 * N, 16);
    };

    const int zingsniai = K / 16;
    for (int s = 0; s < ETAPAI - 1; ++s) {
        if (s < zingsniai) krauti(s, s);
        __pipeline_commit();                       // tuščia grupė irgi skaičiuojama
    }

    const int r0 = (t / 16) * 4, c0 = (t % 16) * 4;
    float4 acc[4] = {};

    for (int z = 0; z < zingsniai; ++z) {
        __pipeline_wait_prior(ETAPAI - 2);
        __syncthreads();                           // duomenys matomi, seniausia vieta laisva
        const int kitas = z + ETAPAI - 1;
        if (kitas < zingsniai) krauti(kitas % ETAPAI, kitas);
        __pipeline_commit();

        const int v = z % ETAPAI;
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float4 b = *reinterpret_cast<const float4*>(&sB[v][k][c0]);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float a = sA[v][r0 + i][k];
                acc[i].x += a * b.x;
                acc[i].y += a * b.y;
                acc[i].z += a * b.z;
                acc[i].w += a * b.w;
            }
        }
    }

#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float* eil = C + (size_t)(blockIdx.x * 64 + r0 + i) * N + blockIdx.y * 64 + c0;
        *reinterpret_cast<float4*>(eil) = acc[i];
    }
}

void paleisti(const float* A, const float* B, float* C, int M, int N, int K)
{
    assert(M % 64 == 0 && N % 64 == 0 && K % 16 == 0);
    sandauga<3><<<dim3(M / 64, N / 64), 256>>>(A, B, C, N, K);
}
