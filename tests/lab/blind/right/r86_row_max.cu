// rowMax[r] = max over columns of data[r][*];  one warp per row, cols >= 1
// block = dim3(32, 4): threadIdx.y picks the row, grid.x = ceil(rows / 4)
#include <cfloat>

constexpr unsigned FULL = 0xffffffffu;   // all 32 lanes take part

__global__ void rowMaxKernel(const float* data, float* rowMax, int rows, int cols)
{
    int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= rows)
        return;                 // r is the same for a whole warp

    float best = -FLT_MAX;
    for (int c = threadIdx.x; c < cols; c += 32)
        best = fmaxf(best, data[(size_t)r * cols + c]);

    best = fmaxf(best, __shfl_down_sync(FULL, best, 16));
    best = fmaxf(best, __shfl_down_sync(FULL, best, 8));
    best = fmaxf(best, __shfl_down_sync(FULL, best, 4));
    best = fmaxf(best, __shfl_down_sync(FULL, best, 2));
    best = fmaxf(best, __shfl_down_sync(FULL, best, 1));

    if (threadIdx.x == 0)
        rowMax[r] = best;
}
