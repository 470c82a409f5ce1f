#include <cuda_runtime.h>

// Matrix (rows x cols, row major) times vector, a warp for each row.
// Block of 128 threads = 4 rows.

__device__ float addLanes(float s)
{
    for (int step = 16; step > 1; step >>= 1)
        s += __shfl_xor_sync(0xffffffffu, s, step);
    return s;
}

__global__ void mv(const float* mat, const float* vec, float* res, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    float s = 0.f;
    if (row < rows)
        for (int c = lane; c < cols; c += 32)
            s += mat[(size_t)row * cols + c] * vec[c];
    s = addLanes(s);
    if (row < rows && lane == 0)
        res[row] = s;
}

void launchMv(const float* mat, const float* vec, float* res, int rows, int cols)
{
    mv<<<(rows + 3) / 4, 128>>>(mat, vec, res, rows, cols);
}
