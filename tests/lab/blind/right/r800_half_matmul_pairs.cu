// Half precision matrix product, C = A * B, accumulation in float.
// Row-major, A is M x K, B is K x N, C is M x N. Any sizes from 1 to 32768.
//
// 32 x 32 output tile per block, 16 x 32 threads, each thread owns two
// neighbouring columns. B is kept in shared memory as __half2 so the inner
// loop fetches both columns with a single 32-bit load.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int TILE = 32;
constexpr int HALF_TILE = TILE / 2;

__global__ void __launch_bounds__(TILE * HALF_TILE)
hgemm_pairs(const __half* __restrict__ A, const __half* __restrict__ B,
            __half* __restrict__ C, int M, int N, int K)
{
    __shared__ __half2 tileA[TILE][HALF_TILE + 1];
    __shared__ __half2 tileB[TILE][HALF_TILE + 1];

    const int tx = threadIdx.x;                  // 0..15, a pair of columns
    const int ty = threadIdx.y;                  // 0..31, a row
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + 2 * tx;

    const __half zero = __float2half(0.0f);

    // two neighbours of one row, with zeros outside of the matrix
    auto pair = [zero](const __half* m, int r, int c, int rows, int cols) {
        if (r >= rows) return __halves2half2(zero, zero);
        const __half* p = m + static_cast<size_t>(r) * cols;
        return __halves2half2(c < cols ? p[c] : zero,
                              c + 1 < cols ? p[c + 1] : zero);
    };

    float acc0 = 0.0f, acc1 = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        tileA[ty][tx] = pair(A, row, k0 + 2 * tx, M, K);
        tileB[ty][tx] = pair(B, k0 + ty, col, K, N);
        __syncthreads();

#pragma unroll
        for (int kk = 0; kk < HALF_TILE; ++kk) {
            const float2 a = __half22float2(tileA[ty][kk]);
            const float2 b0 = __half22float2(tileB[2 * kk][tx]);
            const float2 b1 = __half22float2(tileB[2 * kk + 1][tx]);
            acc0 = fmaf(a.x, b0.x, acc0);
            acc1 = fmaf(a.x, b0.y, acc1);
            acc0 = fmaf(a.y, b1.x, acc0);
            acc1 = fmaf(a.y, b1.y, acc1);
        }
        __syncthreads();
    }

    if (row >= M) return;
    __half* out = C + static_cast<size_t>(row) * N;
    if (col < N) out[col] = __float2half(acc0);
    if (col + 1 < N) out[col + 1] = __float2half(acc1);
}

cudaError_t hgemm(const __half* dA, const __half* dB, __half* dC,
                  int M, int N, int K, cudaStream_t stream)
{
    const dim3 block(HALF_TILE, TILE);
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    hgemm_pairs<<<grid, block, 0, stream>>>(dA, dB, dC, M, N, K);
    return cudaGetLastError();
}
