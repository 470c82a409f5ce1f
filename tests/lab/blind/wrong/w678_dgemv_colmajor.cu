// DGEMV, TRANS = 'N', for the time stepper.
//
//    y := alpha*A*x + beta*y
//
// A is an m x n submatrix of a larger Fortran array, column major, with leading
// dimension lda >= m.  incx, incy are always 1 in our code.
//
// One thread per row; x is staged through shared memory in pieces of 128.
//
//   call:  dgemv_n<<<(m + 127)/128, 128>>>(m, n, alpha, A, lda, x, beta, y);
//   m, n >= 1, otherwise free.

#define NB 128

__global__ void dgemv_n(int m, int n, double alpha, const double *A, int lda,
                        const double *x, double beta, double *y)
{
    __shared__ double xs[NB];
    const int tid = threadIdx.x;
    const int i   = blockIdx.x * NB + tid;

    double sum = 0.0;

    for (int j0 = 0; j0 < n; j0 += NB) {
        const int nj = min(NB, n - j0);

        if (tid < nj)
            xs[tid] = x[j0 + tid];
        __syncthreads();

        if (i < m) {
            const double *p = A + i + (size_t)j0 * lda;
            for (int jj = 0; jj < nj; ++jj) {
                sum += *p * xs[jj];
                p += m;
            }
        }
        __syncthreads();
    }

    if (i < m)
        y[i] = alpha * sum + beta * y[i];
}
