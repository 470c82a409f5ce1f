// BLAS-like gemm, column major, no transposition:
//   C := alpha * A * B + beta * C
// A is m x k (lda >= m), B is k x n (ldb >= k), C is m x n (ldc >= m).
// C is not read when beta == 0.
#include <cuda_runtime.h>

#define IDX(i, j, ld) ((i) + (size_t)(j) * (ld))

template <typename T, int BM, int BN, int BK>
__global__ void gemm_nn(int m, int n, int k, T alpha, const T *A, int lda,
                        const T *B, int ldb, T beta, T *C, int ldc)
{
    __shared__ T As[BK][BM];
    __shared__ T Bs[BN][BK + 1];

    const int threads = BM * BN / 4;       // four columns of C per thread
    const int t = threadIdx.x;
    const int ti = t % BM;
    const int tj = t / BM;
    const int i0 = blockIdx.x * BM;
    const int j0 = blockIdx.y * BN;
    T acc[4] = {T(0), T(0), T(0), T(0)};

    for (int p0 = 0; p0 < k; p0 += BK) {
        for (int e = t; e < BM * BK; e += threads) {
            const int i = e % BM, p = e / BM;
            As[p][i] = (i0 + i < m && p0 + p < k) ? A[IDX(i0 + i, p0 + p, lda)] : T(0);
        }
        for (int e = t; e < BK * BN; e += threads) {
            const int p = e % BK, j = e / BK;
            Bs[j][p] = (p0 + p < k && j0 + j < n) ? B[IDX(p0 + p, j0 + j, ldb)] : T(0);
        }
        __syncthreads();
        for (int p = 0; p < BK; ++p) {
            const T a = As[p][ti];
            for (int u = 0; u < 4; ++u)
                acc[u] += a * Bs[4 * tj + u][p];
        }
        __syncthreads();
    }

    const int i = i0 + ti;
    if (i >= m) return;
    for (int u = 0; u < 4; ++u) {
        const int j = j0 + 4 * tj + u;
        if (j >= n) break;
        const T old = (beta == T(0)) ? T(0) : C[IDX(i, j, ldc)];
        C[IDX(i, j, lda)] = alpha * acc[u] + beta * old;
    }
}

void dgemm_nn(int m, int n, int k, double alpha, const double *A, int lda,
              const double *B, int ldb, double beta, double *C, int ldc)
{
    const int BM = 32, BN = 32, BK = 16;
    if (m <= 0 || n <= 0) return;
    dim3 grid((m + BM - 1) / BM, (n + BN - 1) / BN);
    gemm_nn<double, BM, BN, BK><<<grid, BM * BN / 4>>>(m, n, k, alpha, A, lda,
                                                      B, ldb, beta, C, ldc);
}
