// Matrix-vector product y = A x (A: rows x cols, row-major), one warp per row.
// Block of 32 x 4 threads: threadIdx.x is the lane, threadIdx.y picks the row.
// Launch: matvecWarp<<<(rows + 3) / 4, dim3(32, 4)>>>(A, x, y, rows, cols);
#include <cuda_runtime.h>

constexpr unsigned FULL_MASK = 0xffffffffu;

__device__ float reduceWarp(float val)
{
    for (int delta = 8; delta > 0; delta >>= 1)
        val += __shfl_down_sync(FULL_MASK, val, delta);
    return val;
}

__global__ void matvecWarp(const float *__restrict__ A,
                           const float *__restrict__ x,
                           float *__restrict__ y,
                           int rows, int cols)
{
    int lane = threadIdx.x;
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;

    float acc = 0.0f;
    for (int c = lane; c < cols; c += 32)
        acc += A[(size_t)row * cols + c] * x[c];

    acc = reduceWarp(acc);

    if (lane == 0)
        y[row] = acc;
}
