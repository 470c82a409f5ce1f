#include <cuda_runtime.h>

#define WARPS 4

// y = A x ; one warp per row, A is nrows x ncols row-major
__global__ void warpMatVec(const float *A, const float *x, float *y, int nrows, int ncols)
{
    int lane = threadIdx.x;             // 0..31
    int row = blockIdx.x * WARPS + threadIdx.y;
    if (row >= nrows) return;           // the whole warp leaves together

    const float *a = A + (size_t)row * ncols;
    float s = 0.f;
    for (int c = lane; c < ncols; c += 32)
        s += a[c] * x[c];

    s += __shfl_down_sync(0xffffffff, s, 16);
    s += __shfl_down_sync(0xffffffff, s, 8);
    s += __shfl_down_sync(0xffffffff, s, 4);
    s += __shfl_down_sync(0xffffffff, s, 2);
    s += __shfl_down_sync(0xffffffff, s, 1);
    if (lane == 0) y[row] = s;
}

void matvec(const float *A, const float *x, float *y, int nrows, int ncols)
{
    dim3 th(32, WARPS);
    warpMatVec<<<(nrows + WARPS - 1) / WARPS, th>>>(A, x, y, nrows, ncols);
    cudaDeviceSynchronize();
}
