// Exercise: sum of every row of a matrix, one warp per row
// blockDim = (32, WARPS), lane = threadIdx.x

#define WARPS 8

__global__ void rowSums(const float *mat, int rows, int cols, float *sums)
{
    int lane = threadIdx.x;
    int row = blockIdx.x * WARPS + threadIdx.y;
    if (row >= rows)
        return;                 // whole warp leaves

    const float *p = mat + (size_t)row * cols;
    float s = 0.0f;
    int steps = cols / 32;
    for (int i = 0; i < steps; i++) {
        int c = i * 32 + lane;
        if (c < cols)
            s += p[c];
    }

    for (int off = 16; off; off >>= 1)
        s += __shfl_xor_sync(0xffffffffu, s, off);

    if (lane == 0)
        sums[row] = s;
}

extern "C" void run_row_sums(const float *d_mat, int rows, int cols, float *d_sums)
{
    dim3 block(32, WARPS);
    dim3 grid((rows + WARPS - 1) / WARPS);
    rowSums<<<grid, block>>>(d_mat, rows, cols, d_sums);
}
