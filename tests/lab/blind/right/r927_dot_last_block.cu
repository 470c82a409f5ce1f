#include <cuda_runtime.h>

// Dot product in one launch: each block leaves a partial sum, and the block that
// finishes last adds all of them. The ticket goes back to 0 for the next call.

#define THREADS 128
#define MAX_BLOCKS 64

__device__ volatile float partial[MAX_BLOCKS];
__device__ unsigned ticket = 0;

__device__ float block_sum(float v)
{
    __shared__ float buf[THREADS];
    int t = threadIdx.x;
    buf[t] = v;
    __syncthreads();
    for (int h = THREADS / 2; h > 0; h /= 2) {
        if (t < h) buf[t] += buf[t + h];
        __syncthreads();
    }
    float total = buf[0];
    __syncthreads();          // buf may be used again after this
    return total;
}

__global__ void __launch_bounds__(THREADS) dot_last(const float *p, const float *q, int n, float *out)
{
    __shared__ bool last;

    float s = 0.f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        s += p[i] * q[i];
    s = block_sum(s);

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s;
        __threadfence();
        last = (atomicAdd(&ticket, 1u) == gridDim.x - 1);
    }
    __syncthreads();

    if (last) {
        __threadfence();
        float v = 0.f;
        for (int b = threadIdx.x; b < gridDim.x; b += THREADS)
            v += partial[b];
        v = block_sum(v);
        if (threadIdx.x == 0) {
            *out = v;
            atomicExch(&ticket, 0u);
        }
    }
}

void dot(const float *p, const float *q, int n, float *out)
{
    int blocks = (n + THREADS - 1) / THREADS;
    if (blocks < 1) blocks = 1;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    dot_last<<<blocks, THREADS>>>(p, q, n, out);
}
