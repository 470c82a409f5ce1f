// Dot product in a single launch: the block that finishes last adds the
// partial sums of all blocks.
#include <cuda_runtime.h>

#define NT 256

__device__ unsigned int ticket = 0;

__device__ void reduce(float *s)
{
    for (int h = NT / 2; h > 0; h >>= 1) {
        __syncthreads();
        if (threadIdx.x < h)
            s[threadIdx.x] += s[threadIdx.x + h];
    }
    __syncthreads();
}

__global__ void dot_once(const float *a, const float *b, int n,
                         volatile float *partial, float *result)
{
    __shared__ float s[NT];
    __shared__ unsigned int mine;

    float v = 0.0f;
    for (int i = blockIdx.x * NT + threadIdx.x; i < n; i += gridDim.x * NT)
        v += a[i] * b[i];
    s[threadIdx.x] = v;
    reduce(s);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        mine = atomicAdd(&ticket, 1);
        __threadfence();
    }
    __syncthreads();

    if (mine == gridDim.x) {
        v = 0.0f;
        for (int i = threadIdx.x; i < gridDim.x; i += NT)
            v += partial[i];
        s[threadIdx.x] = v;
        reduce(s);
        if (threadIdx.x == 0) {
            *result = s[0];
            ticket = 0;
        }
    }
}

// partial: one float per block
void dot(const float *a, const float *b, int n, float *partial, float *result, int blocks)
{
    dot_once<<<blocks, NT>>>(a, b, n, partial, result);
}
