// GEMM con prefetch nei registri e doppio buffer in shared memory
// Righe contigue (row-major). M e N multipli di 64, K multiplo di 8.
#include <cuda_runtime.h>
#include <cassert>

template <int BM, int BN, int BK>
__global__ void __launch_bounds__(256)
sgemmPrefetch(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
              int M, int N, int K)
{
    static_assert(BM == 64 && BN == 64 && BK == 8, "gli indici di carico valgono per 64x64x8");
    __shared__ float As[2][BK][BM + 4];   // trasposta
    __shared__ float Bs[2][BK][BN];

    const int tid = threadIdx.x;
    const int tx = tid & 15, ty = tid >> 4;
    const int ar = tid >> 2, ac = (tid & 3) * 2;     // 64 righe x 4 coppie
    const int br = tid >> 5, bc = (tid & 31) * 2;    // 8 righe x 32 coppie

    const float *pa = A + (size_t)(blockIdx.y * BM + ar) * K + ac;
    const float *pb = B + (size_t)br * N + blockIdx.x * BN + bc;

    float acc[4][4] = {};

    float2 ra = *reinterpret_cast<const float2 *>(pa);
    float2 rb = *reinterpret_cast<const float2 *>(pb);
    As[0][ac][ar] = ra.x;
    As[0][ac + 1][ar] = ra.y;
    Bs[0][br][bc] = rb.x;
    Bs[0][br][bc + 1] = rb.y;
    __syncthreads();

    int cur = 0;
    for (int k0 = 0; k0 < K; k0 += BK) {
        const bool ancora = k0 + BK < K;
        if (ancora) {
            // il carico dalla memoria globale si sovrappone al calcolo
            pa += BK;
            pb += (size_t)BK * N;
            ra = *reinterpret_cast<const float2 *>(pa);
            rb = *reinterpret_cast<const float2 *>(pb);
        }

#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float va[4], vb[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                va[i] = As[cur][k][ty * 4 + i];
                vb[i] = Bs[cur][k][tx * 4 + i];
            }
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    acc[i][j] += va[i] * vb[j];
        }

        if (ancora) {
            // si scrive nell'altro buffer: nessuno lo sta leggendo
            As[cur ^ 1][ac][ar] = ra.x;
            As[cur ^ 1][ac + 1][ar] = ra.y;
            Bs[cur ^ 1][br][bc] = rb.x;
            Bs[cur ^ 1][br][bc + 1] = rb.y;
        }
        cur ^= 1;
    }

#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const size_t riga = blockIdx.y * BM + ty * 4 + i;
        float4 v = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *reinterpret_cast<float4 *>(&C[riga * N + blockIdx.x * BN + tx * 4]) = v;
    }
}

void moltiplica(const float *dA, const float *dB, float *dC, int M, int N, int K)
{
    assert(M % 64 == 0 && N % 64 == 0 && K % 8 == 0 && K > 0);
    dim3 griglia(N / 64, M / 64);
    sgemmPrefetch<64, 64, 8><<<griglia, 256>>>(dA, dB, dC, M, N, K);
    cudaDeviceSynchronize();
}
