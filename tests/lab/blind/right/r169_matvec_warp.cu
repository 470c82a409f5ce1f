// Matrix-vector product, one warp per row.
// block = dim3(32, WARPS_PER_BLOCK), grid = ceil(rows / WARPS_PER_BLOCK)
// A row-major, rows x cols with leading dimension lda >= cols.

#ifndef WARPS_PER_BLOCK
#define WARPS_PER_BLOCK 4
#endif

__global__ void gemv_warp(double *__restrict__ y,
                          const double *__restrict__ A, int lda,
                          const double *__restrict__ x,
                          int rows, int cols)
{
    const int lane = threadIdx.x;
    const int row  = blockIdx.x * WARPS_PER_BLOCK + threadIdx.y;

    if (row >= rows)
        return;            // a whole warp leaves, lanes of a warp share the row

    const double *a = A + (size_t)row * lda;
    double acc = 0.0;
    for (int j = lane; j < cols; j += 32)
        acc += a[j] * __ldg(&x[j]);

    for (int offset = 16; offset > 0; offset >>= 1)
        acc += __shfl_down_sync(0xffffffff, acc, offset);

    if (lane == 0)
        y[row] = acc;
}
