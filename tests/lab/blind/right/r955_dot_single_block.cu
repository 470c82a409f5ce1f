// <x, y> with one block. Launch: dot1<<<1, t>>>(x, y, n, out), t a multiple of 32, at most 1024.
#include <cuda_runtime.h>

__device__ float warpSum(float s)
{
    for (int d = 1; d < 32; d *= 2)
        s += __shfl_xor_sync(0xffffffff, s, d);
    return s;
}

__global__ void dot1(const float* x, const float* y, int n, float* out)
{
    __shared__ float perWarp[32];
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;

    float s = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s = fmaf(x[i], y[i], s);

    s = warpSum(s);
    if (lane == warp)
        perWarp[warp] = s;
    __syncthreads();

    if (warp == 0) {
        s = (lane < blockDim.x / 32) ? perWarp[lane] : 0.0f;
        s = warpSum(s);
        if (lane == 31)
            *out = s;
    }
}
