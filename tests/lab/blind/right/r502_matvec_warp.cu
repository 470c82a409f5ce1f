// y = A*x, A row-major (nrow x ncol, leading dimension ld >= ncol), one warp per row.
//
// Launch: dim3 block(32, WARPS), any number of blocks >= 1; rows are taken
// round-robin by the warps of the whole grid.
#include <cuda_runtime.h>

template <int WARPS, class Real>
__global__ void matvec_warp(const Real *__restrict__ A, const Real *__restrict__ x,
                            Real *__restrict__ y, int nrow, int ncol, int ld)
{
    int warp = blockIdx.x * WARPS + threadIdx.y;
    int nwarps = gridDim.x * WARPS;
    int lane = threadIdx.x;

    for (int row = warp; row < nrow; row += nwarps) {
        const Real *a = A + (size_t)row * ld;

        Real sum = 0;
        for (int c = lane; c < ncol; c += 32)
            sum += a[c] * x[c];

        // butterfly: every lane ends with the total
        for (int m = 1; m < 32; m <<= 1)
            sum += __shfl_xor_sync(0xffffffff, sum, m);

        if (lane == 0)
            y[row] = sum;
    }
}

void matvec(const float *dA, const float *dx, float *dy, int nrow, int ncol, int ld)
{
    if (nrow <= 0) return;
    const int W = 4;
    int blocks = (nrow + W - 1) / W;
    if (blocks > 2048) blocks = 2048;
    matvec_warp<W, float><<<blocks, dim3(32, W)>>>(dA, dx, dy, nrow, ncol, ld);
}

void matvec(const double *dA, const double *dx, double *dy, int nrow, int ncol, int ld)
{
    if (nrow <= 0) return;
    const int W = 8;
    int blocks = (nrow + W - 1) / W;
    if (blocks > 1024) blocks = 1024;
    matvec_warp<W, double><<<blocks, dim3(32, W)>>>(dA, dx, dy, nrow, ncol, ld);
}
