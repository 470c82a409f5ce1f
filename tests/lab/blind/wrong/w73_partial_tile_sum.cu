// Column-major matrices (BLAS style): C(m x n) = A(m x k) * B(k x n)
// lda, ldb, ldc are the leading dimensions. Block is 16 x 16,
// grid is (ceil(m/16), ceil(n/16)): x runs over rows, y over columns.
#include <cuda_runtime.h>

#define NB 16

extern "C" __global__
void dgemm_colmajor(int m, int n, int k,
                    const double *A, int lda,
                    const double *B, int ldb,
                    double *C, int ldc)
{
    __shared__ double sa[NB][NB + 1];
    __shared__ double sb[NB][NB + 1];

    const int tr = threadIdx.x;
    const int tc = threadIdx.y;
    const int i = blockIdx.x * NB + tr;
    const int j = blockIdx.y * NB + tc;

    double total = 0.0;

    for (int p = 0; p < k; p += NB) {
        /* sa[row][inner], sb[inner][col] */
        if (i < m && p + tc < k)
            sa[tr][tc] = A[i + (p + tc) * lda];
        else
            sa[tr][tc] = 0.0;

        if (j < n && p + tr < k)
            sb[tr][tc] = B[(p + tr) + j * ldb];
        else
            sb[tr][tc] = 0.0;

        __syncthreads();

        double part = 0.0;
        for (int l = 0; l < NB; l++)
            part += sa[tr][l] * sb[l][tc];
        total = part;

        __syncthreads();
    }

    if (i < m && j < n)
        C[i + j * ldc] = total;
}
