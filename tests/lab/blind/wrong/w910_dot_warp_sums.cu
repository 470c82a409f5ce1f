#include <cuda_runtime.h>

// Dot product of x and y in one block of 256 threads (8 warps).
__device__ double sumOfWarp(double v)
{
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(0xffffffff, v, o);
    return v;
}

__global__ void __launch_bounds__(256) dot256(const double* x, const double* y, double* out, int n)
{
    __shared__ double warpSums[32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    double v = 0.0;
    for (int i = threadIdx.x; i < n; i += 256)
        v += x[i] * y[i];

    v = sumOfWarp(v);
    if (lane == 0)
        warpSums[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = sumOfWarp(warpSums[lane]);
        if (lane == 0)
            out[0] = v;
    }
}

void dot(const double* x, const double* y, double* out, int n)
{
    dot256<<<1, 256>>>(x, y, out, n);
}
