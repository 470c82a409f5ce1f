#include <cuda_runtime.h>

// y = A x, one warp per row; rows are distributed over the warps of the grid
// with a grid-stride loop. A is row-major with leading dimension lda >= cols.

template <typename T, int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
gemvWarp(const T* __restrict__ A, int lda, const T* __restrict__ x,
         T* __restrict__ y, int rows, int cols)
{
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    for (int row = blockIdx.x * WARPS + warp; row < rows; row += gridDim.x * WARPS) {
        const T* a = A + (size_t)row * lda;
        T acc = T(0);
        for (int col = lane; col < cols; col += blockDim.x)
            acc += a[col] * x[col];

        #pragma unroll
        for (int d = 16; d >= 1; d >>= 1)
            acc += __shfl_down_sync(0xffffffff, acc, d);

        if (lane == 0)
            y[row] = acc;
    }
}

template <typename T>
void gemv(const T* A, int lda, const T* x, T* y, int rows, int cols)
{
    constexpr int WARPS = 4;
    int blocks = (rows + WARPS - 1) / WARPS;
    if (blocks > 1024) blocks = 1024;
    gemvWarp<T, WARPS><<<blocks, WARPS * 32>>>(A, lda, x, y, rows, cols);
}

template void gemv<float>(const float*, int, const float*, float*, int, int);
template void gemv<double>(const double*, int, const double*, double*, int, int);
