// C = A * B with asynchronous copies and two buffers.
// Only whole tiles: M, N and K must be multiples of 32 (checked below),
// pointers 16-byte aligned.
#include <cassert>
#include <cuda_runtime.h>
#include <cuda_pipeline.h>

constexpr int EDGE = 32;

__global__ void __launch_bounds__(256)
matmulAsync(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
            int M, int N, int K)
{
    __shared__ alignas(16) float bufA[2][EDGE][EDGE];
    __shared__ alignas(16) float bufB[2][EDGE][EDGE];

    // 256 threads, each brings 4 neighbouring floats of each tile
    const int r = threadIdx.x / 8;
    const int c = (threadIdx.x % 8) * 4;
    const float *srcA = A + (blockIdx.y * EDGE + r) * K + c;
    const float *srcB = B + r * N + blockIdx.x * EDGE + c;
    const int steps = K / EDGE;

    __pipeline_memcpy_async(&bufA[0][r][c], srcA, 16);
    __pipeline_memcpy_async(&bufB[0][r][c], srcB, 16);
    __pipeline_commit();

    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int s = 0; s < steps; ++s) {
        const int cur = s & 1;
        if (s + 1 < steps) {
            __pipeline_memcpy_async(&bufA[cur ^ 1][r][c], srcA + (s + 1) * EDGE, 16);
            __pipeline_memcpy_async(&bufB[cur ^ 1][r][c], srcB + (s + 1) * EDGE * N, 16);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();

        for (int k = 0; k < EDGE; ++k) {
            const float a = bufA[cur][r][k];
            const float4 b = *reinterpret_cast<const float4 *>(&bufB[cur][k][c]);
            acc.x += a * b.x;
            acc.y += a * b.y;
            acc.z += a * b.z;
            acc.w += a * b.w;
        }
        __syncthreads();
    }
    float *dst = C + (blockIdx.y * EDGE + r) * N + blockIdx.x * EDGE + c;
    *reinterpret_cast<float4 *>(dst) = acc;
}

void multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
    assert(M % EDGE == 0 && N % EDGE == 0 && K % EDGE == 0);
    assert(M > 0 && N > 0 && K > 0);
    dim3 grid(N / EDGE, M / EDGE);
    matmulAsync<<<grid, 256>>>(A, B, C, M, N, K);
}
