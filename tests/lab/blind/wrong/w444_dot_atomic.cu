// dot product: warp shuffles, one atomic per block
#include <cuda_runtime.h>

__inline__ __device__ float warpSum(float v)
{
    v += __shfl_down_sync(0xffffffff, v, 16);
    v += __shfl_down_sync(0xffffffff, v, 8);
    v += __shfl_down_sync(0xffffffff, v, 4);
    v += __shfl_down_sync(0xffffffff, v, 2);
    v += __shfl_down_sync(0xffffffff, v, 1);
    return v;
}

// blockDim.x: a multiple of 32, at most 1024
__global__ void dot(const float *x, const float *y, float *result, int n)
{
    __shared__ float sums[32];
    int lane = threadIdx.x & 31;
    int wid = threadIdx.x >> 5;

    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += x[i] * y[i];

    v = warpSum(v);
    if (lane == 0)
        sums[wid] = v;
    __syncthreads();

    if (wid == 0) {
        v = warpSum(sums[lane]);
        if (lane == 0)
            atomicAdd(result, v);
    }
}

float dotOnDevice(const float *dx, const float *dy, int n)
{
    float *d, h;
    cudaMalloc(&d, sizeof(float));
    cudaMemset(d, 0, sizeof(float));
    int blocks = (n + 255) / 256;
    if (blocks > 128)
        blocks = 128;
    dot<<<blocks, 256>>>(dx, dy, d, n);
    cudaMemcpy(&h, d, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return h;
}
