#include <cuda_runtime.h>

static const int kThreads = 256;

__device__ float reduceWarp(float v)
{
    const unsigned all = 0xFFFFFFFF;
    v += __shfl_xor_sync(all, v, 16);
    v += __shfl_xor_sync(all, v, 8);
    v += __shfl_xor_sync(all, v, 4);
    v += __shfl_xor_sync(all, v, 2);
    v += __shfl_xor_sync(all, v, 1);
    return v;
}

__global__ void dotKernel(const float* x, const float* y, float* out, size_t n)
{
    __shared__ float warpSums[kThreads / 32];

    float s = 0.0f;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        s += x[i] * y[i];

    s = reduceWarp(s);
    const int lane = threadIdx.x & 31;
    const int wid  = threadIdx.x >> 5;
    if (lane == 0) warpSums[wid] = s;
    __syncthreads();

    if (wid == 0) {                                   // first warp as a whole
        s = (lane < kThreads / 32) ? warpSums[lane] : 0.0f;
        s = reduceWarp(s);
        if (lane == 0) atomicAdd(out, s);
    }
}

float dot(const float* d_x, const float* d_y, size_t n)
{
    float* d_out;
    float result = 0.0f;
    cudaMalloc(&d_out, sizeof(float));
    cudaMemset(d_out, 0, sizeof(float));

    size_t blocks = (n + kThreads - 1) / kThreads;
    if (blocks == 0) blocks = 1;
    if (blocks > 1024) blocks = 1024;
    dotKernel<<<(unsigned)blocks, kThreads>>>(d_x, d_y, d_out, n);

    cudaMemcpy(&result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    return result;
}
