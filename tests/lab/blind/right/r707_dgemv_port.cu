/* Portierung unserer alten C-Routine DGEMV (nur TRANS = 'N') auf die GPU.
 *
 *     y := alpha * A * x + beta * y
 *
 * A ist m x n, spaltenweise gespeichert, fuehrende Dimension lda >= m.
 * incx, incy > 0. Bei beta == 0 wird y nicht gelesen (wie in BLAS).
 *
 * Aufruf (eindimensional, jede Blockgroesse, die ein Vielfaches von 32 ist):
 *     dgemv_n<<<(m + 127) / 128, 128>>>(m, n, alpha, A, lda, x, incx, beta, y, incy);
 */

#define IDX2(i, j, ld) ((size_t)(j) * (size_t)(ld) + (size_t)(i))
#define XCHUNK 64

__global__ void dgemv_n(int m, int n, double alpha,
                        const double *A, int lda,
                        const double *x, int incx,
                        double beta, double *y, int incy)
{
    __shared__ double xs[XCHUNK];

    int    i = blockIdx.x * blockDim.x + threadIdx.x;
    double temp = 0.0;
    int    j0, j, jmax, t;

    for (j0 = 0; j0 < n; j0 += XCHUNK) {
        jmax = n - j0;
        if (jmax > XCHUNK) jmax = XCHUNK;

        /* Teilstueck von x in den gemeinsamen Speicher holen */
        for (t = threadIdx.x; t < jmax; t += blockDim.x)
            xs[t] = x[(size_t)(j0 + t) * incx];
        __syncthreads();

        if (i < m) {
            for (j = 0; j < jmax; j++)
                temp += A[IDX2(i, j0 + j, lda)] * xs[j];
        }
        __syncthreads();   /* xs wird im naechsten Durchlauf ueberschrieben */
    }

    if (i < m) {
        size_t iy = (size_t)i * incy;
        if (beta == 0.0)
            y[iy] = alpha * temp;
        else
            y[iy] = alpha * temp + beta * y[iy];
    }
}
