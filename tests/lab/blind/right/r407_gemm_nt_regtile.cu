// gemm_nt.cuh -- C = alpha * A * B^T + beta * C, all row-major.
//
//   A : M x K, leading dimension lda >= K
//   B : N x K, leading dimension ldb >= K      (used transposed)
//   C : M x N, leading dimension ldc >= N
//
// Every thread owns a TM x TN patch of C. Rows and columns of a patch are
// interleaved across the block (stride BM/TM, BN/TN) so that the reads of the
// shared tiles are conflict free. As in BLAS, C is not read when beta == 0.
// M, N, K >= 0 (M <= 4194240: one grid.y step per 64 rows); any alignment.
#include <cuda_runtime.h>
#include <cstddef>

namespace tinyblas {

template <typename T, int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
gemm_nt_kernel(int M, int N, int K, T alpha,
               const T* __restrict__ A, int lda,
               const T* __restrict__ B, int ldb,
               T beta, T* __restrict__ C, int ldc)
{
    static_assert(BM % TM == 0 && BN % TN == 0, "patch must divide the tile");
    constexpr int ROWS = BM / TM;            // thread rows
    constexpr int COLS = BN / TN;            // thread columns
    constexpr int THREADS = ROWS * COLS;

    __shared__ T As[BK][BM + 1];
    __shared__ T Bs[BK][BN + 1];

    const int tid = threadIdx.x;
    const int tr = tid / COLS;
    const int tc = tid % COLS;
    const int m0 = blockIdx.y * BM;
    const int n0 = blockIdx.x * BN;

    T acc[TM][TN];
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] = T(0);

    for (int k0 = 0; k0 < K; k0 += BK) {
        // global -> shared, k runs fastest in both operands
        for (int e = tid; e < BM * BK; e += THREADS) {
            const int r = e / BK, k = e % BK;
            const bool in = (m0 + r < M) && (k0 + k < K);
            As[k][r] = in ? A[(size_t)(m0 + r) * lda + k0 + k] : T(0);
        }
        for (int e = tid; e < BN * BK; e += THREADS) {
            const int r = e / BK, k = e % BK;
            const bool in = (n0 + r < N) && (k0 + k < K);
            Bs[k][r] = in ? B[(size_t)(n0 + r) * ldb + k0 + k] : T(0);
        }
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BK; ++k) {
            T a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = As[k][tr + i * ROWS];
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][tc + j * COLS];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < TM; ++i) {
        const int m = m0 + tr + i * ROWS;
        if (m >= M) continue;
#pragma unroll
        for (int j = 0; j < TN; ++j) {
            const int n = n0 + tc + j * COLS;
            if (n >= N) continue;
            T* c = C + (size_t)m * ldc + n;
            *c = (beta == T(0)) ? alpha * acc[i][j] : alpha * acc[i][j] + beta * *c;
        }
    }
}

template <typename T>
cudaError_t gemm_nt(int M, int N, int K, T alpha, const T* A, int lda,
                    const T* B, int ldb, T beta, T* C, int ldc, cudaStream_t stream)
{
    if (M == 0 || N == 0) return cudaSuccess;
    constexpr int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;
    const dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    gemm_nt_kernel<T, BM, BN, BK, TM, TN><<<grid, (BM / TM) * (BN / TN), 0, stream>>>(
        M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    return cudaGetLastError();
}

}  // namespace tinyblas
