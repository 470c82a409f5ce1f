// Dot product: kernel 1 gives one partial sum per block, kernel 2 adds them up.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define FULL 0xffffffffu

// blockDim.x must be a multiple of 32, at most 1024
__device__ float reduce_block(float v)
{
    __shared__ float warp_sums[32];
    const int lane = threadIdx.x % 32;
    const int wid  = threadIdx.x / 32;

    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(FULL, v, d);
    if (lane == 0)
        warp_sums[wid] = v;
    __syncthreads();

    if (wid == 0) {
        v = warp_sums[lane];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(FULL, v, d);
    }
    return v;
}

__global__ void dot_blocks(const float *p, const float *q, float *parts, int n)
{
    float v = 0.0f;
    const int stride = blockDim.x * gridDim.x;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride)
        v += p[i] * q[i];
    v = reduce_block(v);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = v;
}

__global__ void add_parts(const float *parts, int count, float *out)
{
    float v = 0.0f;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        v += parts[i];
    v = reduce_block(v);
    if (threadIdx.x == 0)
        *out = v;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100000;
    int threads = argc > 2 ? atoi(argv[2]) : 256;
    int blocks = (n + threads - 1) / threads;
    if (blocks > 128) blocks = 128;

    float *p, *q, *parts, *out;
    cudaMallocManaged(&p, n * sizeof(float));
    cudaMallocManaged(&q, n * sizeof(float));
    cudaMallocManaged(&parts, blocks * sizeof(float));
    cudaMallocManaged(&out, sizeof(float));
    double ref = 0.0;
    for (int i = 0; i < n; i++) {
        p[i] = (float)rand() / RAND_MAX;
        q[i] = (float)rand() / RAND_MAX;
        ref += (double)p[i] * q[i];
    }

    dot_blocks<<<blocks, threads>>>(p, q, parts, n);
    add_parts<<<1, threads>>>(parts, blocks, out);
    cudaDeviceSynchronize();

    printf("gpu %f cpu %f\n", *out, ref);
    int ok = fabs(*out - ref) <= 1e-4 * ref;
    cudaFree(p); cudaFree(q); cudaFree(parts); cudaFree(out);
    return ok ? 0 : 1;
}
