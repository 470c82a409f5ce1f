// C[M,N] (float, row major) = A[M,K] (bf16, row major) * B[K,N] (bf16, column major)
// M, N and K are multiples of 16, pointers come straight from cudaMalloc.
// block = 128 threads = 4 warps next to each other along N, one 16x16 tile per warp
// grid  = (ceil(N / 64), M / 16)
#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda;
using bf16 = __nv_bfloat16;

__global__ void bf16_row_by_col(const bf16* __restrict__ A, const bf16* __restrict__ B,
                                float* __restrict__ C, int M, int N, int K)
{
    const int warp = threadIdx.x >> 5;
    const int n0 = (blockIdx.x * 4 + warp) * 16;
    const int m0 = blockIdx.y * 16;
    if (n0 >= N || m0 >= M) return;          // the whole warp goes

    wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);

    const bf16* pa = A + (size_t)m0 * K;
    const bf16* pb = B + (size_t)n0 * K;
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(fa, pa + k, K);
        wmma::load_matrix_sync(fb, pb + k, N);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(C + (size_t)m0 * N + n0, fc, N, wmma::mem_row_major);
}
