// Assignment 4, task 2: C = A * B^T with bfloat16 inputs and float output.
//
//   A is M x K row-major, B is N x K row-major (so its rows are the columns of B^T),
//   C is M x N row-major. Any M, N, K.
//
// Block: dim3(32, 8). Grid: dim3(ceil(N / 32), ceil(M / 8)).
#include <cuda_runtime.h>
#include <cuda_bf16.h>

namespace {

constexpr int kTileN = 32;
constexpr int kTileM = 8;
constexpr int kTileK = 32;

__device__ __forceinline__ float load_or_zero(const __nv_bfloat16* p, int row, int col,
                                              int rows, int cols)
{
    if (row < rows && col < cols)
        return __bfloat162float(p[static_cast<size_t>(row) * cols + col]);
    return 0.0f;
}

}  // namespace

__global__ void gemm_nt_bf16(const __nv_bfloat16* __restrict__ a,
                             const __nv_bfloat16* __restrict__ b,
                             float* __restrict__ c,
                             int m, int n, int k)
{
    // converted once while loading
    __shared__ float a_tile[kTileM][kTileK];
    __shared__ float b_tile[kTileN][kTileK + 1];   // padded: read down a column

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row_base = blockIdx.y * kTileM;
    const int col_base = blockIdx.x * kTileN;

    float acc = 0.0f;
    for (int kk = 0; kk < k; kk += kTileK) {
        a_tile[ty][tx] = load_or_zero(a, row_base + ty, kk + tx, m, k);
        #pragma unroll
        for (int r = 0; r < kTileN; r += kTileM)
            b_tile[r + ty][tx] = load_or_zero(b, col_base + r + ty, kk + tx, n, k);
        __syncthreads();

        #pragma unroll
        for (int i = 0; i < kTileK; ++i)
            acc = fmaf(a_tile[ty][i], b_tile[tx][i], acc);
        __syncthreads();
    }

    const int row = row_base + ty;
    const int col = col_base + tx;
    if (row < m && col < n)
        c[static_cast<size_t>(row) * n + col] = acc;
}
