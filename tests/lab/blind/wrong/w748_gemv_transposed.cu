/*
 * y = A^T x   for a row-major m x n matrix A
 *
 * x has m elements, y has n elements.  One thread per column of A, so that
 * neighbouring threads read neighbouring elements.  To get enough blocks for
 * tall matrices the rows are divided into strips of STRIP rows:
 *
 *     block  = (COLS, 1)
 *     grid   = (ceil(n / COLS), ceil(m / STRIP))
 *
 * The caller sets y to zero before the launch.
 */

#define COLS  128
#define STRIP 512

__global__ void gemv_transposed(const float *__restrict__ A,
                                const float *__restrict__ x,
                                float *y, int m, int n)
{
    __shared__ float xs[STRIP];

    const int row0 = blockIdx.y * STRIP;
    const int rows = min(STRIP, m - row0);
    const int col = blockIdx.x * COLS + threadIdx.x;

    /* the part of x that belongs to this strip */
    for (int i = threadIdx.x; i < rows; i += COLS)
        xs[i] = x[row0 + i];
    __syncthreads();

    if (col < n) {
        const float *a = A + (size_t)row0 * n + col;
        float sum = 0.0f;

        for (int i = 0; i < rows; i++) {
            sum += *a * xs[i];
            a += n;
        }

        y[col] += sum;
    }
}
