// Column-major half precision product with float sums and two tile buffers.
//   C(i,j) = sum_k A(i,k) * B(k,j),   X(i,j) is X[i + j * ldx]
// launch with block (32, 8) and grid (ceil(m/32), ceil(n/8))
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace {
constexpr int kRows = 32;   // rows of C in a block, follows threadIdx.x
constexpr int kCols = 8;    // columns of C in a block, follows threadIdx.y
constexpr int kDeep = 8;    // must be equal to kCols

__device__ __forceinline__ float fetch(const __half* X, size_t ld, int i, int j, int rows, int cols)
{
    return (i < rows && j < cols) ? __half2float(X[i + j * ld]) : 0.0f;
}
}  // namespace

__global__ void hgemm_colmajor(int m, int n, int k,
                               const __half* __restrict__ A, size_t lda,
                               const __half* __restrict__ B, size_t ldb,
                               float* __restrict__ C, size_t ldc)
{
    __shared__ float sa[2][kDeep][kRows];
    __shared__ float sb[2][kCols][kDeep];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.x * kRows + tx;
    const int j = blockIdx.y * kCols + ty;
    const int tiles = (k + kDeep - 1) / kDeep;

    // first tile
    sa[0][ty][tx] = fetch(A, lda, i, ty, m, k);
    if (tx < kDeep) sb[0][ty][tx] = fetch(B, ldb, tx, j, k, n);
    __syncthreads();

    float sum = 0.0f;
    int cur = 0;
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) {
            const int k0 = (t + 1) * kDeep;
            sa[cur ^ 1][ty][tx] = fetch(A, lda, i, k0 + ty, m, k);
            if (tx < kDeep) sb[cur ^ 1][ty][tx] = fetch(B, ldb, k0 + tx, j, k, n);
        }
#pragma unroll
        for (int p = 0; p < kDeep; ++p) sum += sa[cur][p][tx] * sb[cur][ty][p];
        __syncthreads();   // next buffer is full, this one is free
        cur ^= 1;
    }

    if (i < m && j < n) C[i + j * ldc] = sum;
}
