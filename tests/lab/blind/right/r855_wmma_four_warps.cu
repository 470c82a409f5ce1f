#include <cassert>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// D = A*B with tensor cores.  half inputs, fp32 result, everything row-major and densely packed.
// A block is four warps in a 2x2 arrangement; a warp owns a 32x32 patch of D.
__global__ void hgemm_tc(const half* __restrict__ A, const half* __restrict__ B,
                         float* __restrict__ D, int M, int N, int K)
{
    const int warp = threadIdx.x >> 5;
    const int row  = blockIdx.y * 64 + (warp >> 1) * 32;
    const int col  = blockIdx.x * 64 + (warp & 1) * 32;

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);

    for (int k = 0; k < K; k += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
        for (int i = 0; i < 2; i++) {
            wmma::load_matrix_sync(fa[i], A + (size_t)(row + 16 * i) * K + k, K);
            wmma::load_matrix_sync(fb[i], B + (size_t)k * N + col + 16 * i, N);
        }
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(D + (size_t)(row + 16 * i) * N + col + 16 * j, acc[i][j], N,
                                    wmma::mem_row_major);
}

// Pointers come straight from cudaMalloc.
void launch_hgemm_tc(const half* A, const half* B, float* D, int M, int N, int K, cudaStream_t s)
{
    assert(M % 64 == 0 && N % 64 == 0 && K % 16 == 0);
    hgemm_tc<<<dim3(N / 64, M / 64), 128, 0, s>>>(A, B, D, M, N, K);
}
