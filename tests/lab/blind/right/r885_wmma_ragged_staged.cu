#include <cuda_fp16.h>
#include <mma.h>
namespace wm = nvcuda::wmma;

// Tensor-core GEMM for arbitrary M, N, K >= 1:  C(float) = A(half) x B(half)
// A row-major M x K, B column-major (B[k + n*K]), C row-major M x N.
// Edges are zero-filled in shared memory, the result is staged there too.
// Launch: 128 threads, grid ((M+31)/32, (N+31)/32).
#define LDH 24      // halves per staged row, a multiple of 8
#define LDF 36      // floats per staged row, a multiple of 4

__global__ void tc_any(const half* A, const half* B, float* C, int M, int N, int K)
{
    __shared__ __align__(32) half  sA[32 * LDH];
    __shared__ __align__(32) half  sB[32 * LDH];
    __shared__ __align__(32) float sC[32 * LDF];

    const int m0 = blockIdx.x * 32, n0 = blockIdx.y * 32;
    const int wr = (threadIdx.x / 32) / 2 * 16;
    const int wc = (threadIdx.x / 32) % 2 * 16;

    wm::fragment<wm::matrix_a, 16, 16, 16, half, wm::row_major> a;
    wm::fragment<wm::matrix_b, 16, 16, 16, half, wm::col_major> b;
    wm::fragment<wm::accumulator, 16, 16, 16, float> c;
    wm::fill_fragment(c, 0.f);

    const half nil = __float2half(0.f);
    for (int k0 = 0; k0 < K; k0 += 16) {
        for (int e = threadIdx.x; e < 32 * 16; e += 128) {
            const int r = e / 16, k = e % 16;
            const bool in = k0 + k < K;
            sA[r * LDH + k] = in && m0 + r < M ? A[(size_t)(m0 + r) * K + k0 + k] : nil;
            sB[r * LDH + k] = in && n0 + r < N ? B[(size_t)(n0 + r) * K + k0 + k] : nil;
        }
        __syncthreads();
        wm::load_matrix_sync(a, sA + wr * LDH, LDH);
        wm::load_matrix_sync(b, sB + wc * LDH, LDH);
        wm::mma_sync(c, a, b, c);
        __syncthreads();
    }

    wm::store_matrix_sync(sC + wr * LDF + wc, c, LDF, wm::mem_row_major);
    __syncthreads();
    for (int e = threadIdx.x; e < 32 * 32; e += 128) {
        const int r = e / 32, q = e % 32;
        if (m0 + r < M && n0 + q < N) C[(size_t)(m0 + r) * N + n0 + q] = sC[r * LDF + q];
    }
}
