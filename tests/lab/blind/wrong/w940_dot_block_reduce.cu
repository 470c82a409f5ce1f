#include <cuda_runtime.h>

// Sum of a[i] * b[i]. Any number of blocks; blockDim.x is a multiple of 32.
// *out must be 0 before the launch.
__device__ float reduceWarp(float v)
{
    v += __shfl_down_sync(0xffffffff, v, 16);
    v += __shfl_down_sync(0xffffffff, v, 8);
    v += __shfl_down_sync(0xffffffff, v, 4);
    v += __shfl_down_sync(0xffffffff, v, 2);
    v += __shfl_down_sync(0xffffffff, v, 1);
    return v;
}

__global__ void dotKernel(const float *a, const float *b, float *out, int n)
{
    __shared__ float warpSums[32];
    const int lane = threadIdx.x & 31;
    const int wid = threadIdx.x >> 5;

    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += a[i] * b[i];

    v = reduceWarp(v);
    if (lane == 0)
        warpSums[wid] = v;
    __syncthreads();

    if (wid == 0) {
        v = warpSums[lane];
        v = reduceWarp(v);
        if (lane == 0)
            atomicAdd(out, v);
    }
}

void dot(const float *a, const float *b, float *out, int n)
{
    cudaMemset(out, 0, sizeof(float));
    dotKernel<<<64, 256>>>(a, b, out, n);
}
