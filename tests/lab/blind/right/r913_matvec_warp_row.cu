#include <cuda_runtime.h>

// y = A x, A row major rows x cols. One warp per row, WARPS rows per block.
template <int WARPS, typename F>
__global__ void mv_warp(const F* A, const F* x, F* y, int rows, int cols)
{
    const int lane = threadIdx.x;
    const int row = blockIdx.x * WARPS + threadIdx.y;
    if (row >= rows) return;                 // the whole warp leaves, no barrier below

    const F* a = A + (size_t)row * cols;
    F s0 = 0, s1 = 0;
    int c = lane;
    for (; c + 32 < cols; c += 64) {
        s0 += a[c] * x[c];
        s1 += a[c + 32] * x[c + 32];
    }
    if (c < cols) s0 += a[c] * x[c];
    s0 += s1;

    #pragma unroll
    for (int off = 16; off >= 1; off >>= 1)
        s0 += __shfl_down_sync(~0u, s0, off);
    if (!lane) y[row] = s0;
}

void matvec(const float* A, const float* x, float* y, int rows, int cols)
{
    constexpr int WARPS = 6;
    if (rows > 0)
        mv_warp<WARPS><<<(rows + WARPS - 1) / WARPS, dim3(32, WARPS)>>>(A, x, y, rows, cols);
}
