// Dot product in two steps:
//   1. every block leaves one partial sum in partial[blockIdx.x]
//   2. one block adds the partial sums
#include <cuda_runtime.h>

__device__ void blockTree(volatile float *sdata, int t, int threads)
{
    for (int half = threads >> 1; half >= 1; half >>= 1) {
        if (t < half)
            sdata[t] = sdata[t] + sdata[t + half];
        __syncthreads();
    }
}

__global__ void dotPartial(const float *a, const float *b, float *partial, int n)
{
    extern __shared__ float sdata[];
    int t = threadIdx.x;
    int i = blockIdx.x * (2 * blockDim.x) + t;      // two products per thread

    float v = 0.0f;
    if (i < n) v = a[i] * b[i];
    if (i + (int)blockDim.x < n) v += a[i + blockDim.x] * b[i + blockDim.x];
    sdata[t] = v;
    __syncthreads();

    blockTree(sdata, t, blockDim.x);
    if (t == 0) partial[blockIdx.x] = sdata[0];
}

__global__ void sumPartial(const float *partial, float *result, int count)
{
    extern __shared__ float sdata[];
    int t = threadIdx.x;
    float v = 0.0f;
    for (int i = t; i < count; i += blockDim.x) v += partial[i];
    sdata[t] = v;
    __syncthreads();

    blockTree(sdata, t, blockDim.x);
    if (t == 0) *result = sdata[0];
}

// threads: a power of two, at most 1024
void dotProduct(const float *d_a, const float *d_b, float *d_result, int n, int threads)
{
    int blocks = (n + 2 * threads - 1) / (2 * threads);
    float *d_partial;
    cudaMalloc(&d_partial, blocks * sizeof(float));
    dotPartial<<<blocks, threads, threads * sizeof(float)>>>(d_a, d_b, d_partial, n);
    sumPartial<<<1, threads, threads * sizeof(float)>>>(d_partial, d_result, blocks);
    cudaDeviceSynchronize();
    cudaFree(d_partial);
}
