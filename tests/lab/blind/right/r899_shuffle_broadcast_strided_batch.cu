// Strided-batched SGEMM without shared memory. Row-major:
//   C[b] = alpha * A[b] * B[b] + beta * C[b],  X[b] = X + b * strideX (in elements; strideA/strideB may be 0)
// Each warp makes ROWS x 32 outputs; lane l keeps A(row, k0 + l) and the warp broadcasts it.
// block (32, 4), grid (ceil(N / 32), ceil(M / (4 * ROWS)), batch); any M, N, K >= 1.
#include <cuda_runtime.h>

constexpr int ROWS = 4;
constexpr unsigned FULL = 0xffffffffu;

__global__ void __launch_bounds__(128)
gemm_shfl(int M, int N, int K, float alpha,
          const float* __restrict__ A, int lda, long long strideA,
          const float* __restrict__ B, int ldb, long long strideB, float beta,
          float* __restrict__ C, int ldc, long long strideC)
{
    const int lane = threadIdx.x;
    const int col = blockIdx.x * 32 + lane;
    const int row0 = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    if (row0 >= M) return;                              // same answer for the whole warp

    A += blockIdx.z * strideA;
    B += blockIdx.z * strideB;
    C += blockIdx.z * strideC;
    const bool live = col < N;

    float acc[ROWS] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
        float mine[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            mine[r] = (row0 + r < M && k0 + lane < K) ? A[(long long)(row0 + r) * lda + k0 + lane] : 0.f;

        const int len = min(32, K - k0);
        const float* b = B + (long long)k0 * ldb + col;
        for (int s = 0; s < len; ++s, b += ldb) {
            const float bv = live ? *b : 0.f;
#pragma unroll
            for (int r = 0; r < ROWS; ++r)
                acc[r] = fmaf(__shfl_sync(FULL, mine[r], s), bv, acc[r]);
        }
    }

    if (!live) return;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        if (row0 + r >= M) break;
        float& c = C[(long long)(row0 + r) * ldc + col];
        c = alpha * acc[r] + (beta != 0.f ? beta * c : 0.f);
    }
}

void gemm_strided_batched(int M, int N, int K, float alpha, const float* A, int lda, long long sA,
                          const float* B, int ldb, long long sB, float beta,
                          float* C, int ldc, long long sC, int batch, cudaStream_t s)
{
    const dim3 grid((N + 31) / 32, (M + 4 * ROWS - 1) / (4 * ROWS), batch);
    gemm_shfl<<<grid, dim3(32, 4), 0, s>>>(M, N, K, alpha, A, lda, sA, B, ldb, sB, beta, C, ldc, sC);
}
