// y = A x for a matrix stored by columns: A(r,c) = a[r + c * ld], ld >= rows.
// A block of 32 x 8 threads does 32 rows; threadIdx.y picks every eighth column.
#define ROWS_PER_BLOCK 32
#define SLICES 8

__global__ void gemv_cols(const float *a, int ld, const float *x, float *y, int rows, int cols)
{
    __shared__ float sums[SLICES][ROWS_PER_BLOCK];

    int lr = threadIdx.x, slice = threadIdx.y;
    int r = blockIdx.x * ROWS_PER_BLOCK + lr;

    float s = 0;
    if (r < rows) {
        for (int c = slice; c < cols; c += SLICES)
            s += a[r + (size_t)c * ld] * x[c];
    }
    sums[slice][lr] = s;
    __syncthreads();

    for (int h = SLICES / 2; h >= 1; h /= 2) {
        if (slice < h)
            sums[slice][lr] += sums[slice + h][lr];
        __syncthreads();
    }

    if (slice == 0 && r < rows)
        y[r] = sums[0][lr];
}

void gemv(const float *a, int ld, const float *x, float *y, int rows, int cols)
{
    if (rows <= 0) return;
    gemv_cols<<<(rows + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK,
                dim3(ROWS_PER_BLOCK, SLICES)>>>(a, ld, x, y, rows, cols);
}
