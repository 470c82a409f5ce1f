/*
 *  dgemm_tn:   C := alpha * A^T * B + beta * C        (BLAS conventions)
 *
 *  column-major storage.  A is k x m (lda >= k), B is k x n (ldb >= k), C is m x n (ldc >= m).
 *  grid ((m+15)/16, (n+15)/16), block (16,16). When beta == 0, C is not read.
 */
#define NB 16
#define A_(i, j) A[(i) + (size_t)(j) * lda]
#define B_(i, j) B[(i) + (size_t)(j) * ldb]
#define C_(i, j) C[(i) + (size_t)(j) * ldc]

__global__ void dgemm_tn(int m, int n, int k, double alpha,
                         const double *A, int lda,
                         const double *B, int ldb,
                         double beta, double *C, int ldc)
{
    __shared__ double sA[NB][NB + 1];   /* sA[column of A][l] */
    __shared__ double sB[NB][NB + 1];   /* sB[column of B][l] */

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i0 = blockIdx.x * NB;
    const int j0 = blockIdx.y * NB;

    double r = 0.0;

    for (int l0 = 0; l0 < k; l0 += NB) {
        const int l = l0 + tx;          /* tx walks along the contiguous dimension */
        double va = 0.0, vb = 0.0;
        if (l < k) {
            if (i0 + ty < m) va = A_(l, i0 + ty);
            if (j0 + ty < n) vb = B_(l, j0 + ty);
        }
        sA[ty][tx] = va;
        sB[ty][tx] = vb;
        __syncthreads();

        #pragma unroll
        for (int l = 0; l < NB; ++l)
            r += sA[tx][l] * sB[ty][l];
        __syncthreads();
    }

    const int i = i0 + tx;
    const int j = j0 + ty;
    if (i < m && j < n) {
        if (beta == 0.0)
            C_(i, j) = alpha * r;
        else
            C_(i, j) = alpha * r + beta * C_(i, j);
    }
}
