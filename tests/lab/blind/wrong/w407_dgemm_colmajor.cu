/*
 * dgemm 'N','N' à la BLAS: everything column-major.
 *
 *    C(m x n) = alpha * A(m x k) * B(k x n) + beta * C
 *
 * lda >= m, ldb >= k, ldc >= m. threadIdx.x walks down a column so that
 * global accesses of A and C coalesce.
 */
#include <cuda_runtime.h>

#define NB 16
#define IDX(i, j, ld) ((size_t)(j) * (ld) + (i))

__global__ void dgemm_nn(int m, int n, int k, double alpha,
                         const double *A, int lda,
                         const double *B, int ldb,
                         double beta, double *C, int ldc)
{
    __shared__ double sa[NB][NB + 1];   /* sa[p][i] = A(i, p) */
    __shared__ double sb[NB][NB + 1];   /* sb[j][p] = B(p, j) */

    const int ti = threadIdx.x;
    const int tj = threadIdx.y;
    const int i = blockIdx.x * NB + ti;
    const int j = blockIdx.y * NB + tj;
    double acc = 0.0;

    for (int p0 = 0; p0 < k; p0 += NB) {
        sa[tj][ti] = 0.0;
        sb[tj][ti] = 0.0;
        if (i < m && p0 + tj < k)
            sa[tj][ti] = A[IDX(i, p0 + tj, lda)];
        if (p0 + ti < k && j < n)
            sb[tj][ti] = B[IDX(p0 + ti, j, lda)];
        __syncthreads();

        for (int p = 0; p < NB; p++)
            acc += sa[p][ti] * sb[tj][p];
        __syncthreads();
    }

    if (i < m && j < n) {
        double *c = &C[IDX(i, j, ldc)];
        if (beta == 0.0)
            *c = alpha * acc;
        else
            *c = alpha * acc + beta * (*c);
    }
}

void dgemm_gpu(int m, int n, int k, double alpha, const double *A, int lda,
               const double *B, int ldb, double beta, double *C, int ldc)
{
    dim3 block(NB, NB);
    dim3 grid((m + NB - 1) / NB, (n + NB - 1) / NB);
    dgemm_nn<<<grid, block>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
