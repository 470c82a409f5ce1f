// y = A x, one warp for every row; blockDim.x is a multiple of 32
__global__ void mv_warp(const float *__restrict__ A, const float *__restrict__ x,
                        float *__restrict__ y, int rows, int cols)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    int nwarps = (gridDim.x * blockDim.x) >> 5;

    for (int r = warp; r < rows; r += nwarps) {
        const float *line = A + (size_t)r * cols;
        float s = 0.0f;
        for (int c = lane; c < cols; c += 32)
            s = fmaf(line[c], x[c], s);
        s += __shfl_xor_sync(~0u, s, 16);
        s += __shfl_xor_sync(~0u, s, 8);
        s += __shfl_xor_sync(~0u, s, 4);
        s += __shfl_xor_sync(~0u, s, 2);
        s += __shfl_xor_sync(~0u, s, 1);
        if (lane == 0) y[r] = s;
    }
}
