// Scalar product of two int vectors; the sum is a 64-bit integer.
#include <cuda_runtime.h>

#define FULL 0xffffffffu
typedef long long i64;

__inline__ __device__ i64 sum_warp(i64 v)
{
    for (int d = 16; d > 0; d >>= 1)
        v += __shfl_down_sync(FULL, v, d);
    return v;
}

// *out must be 0. blockDim.x: a multiple of 32, at most 1024.
__global__ void scalar_product(const int *a, const int *b, int n, unsigned long long *out)
{
    __shared__ i64 warp_sums[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    i64 s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        s += (i64)a[i] * b[i];

    s = sum_warp(s);
    if (lane == 0)
        warp_sums[warp] = s;
    __syncthreads();

    if (warp == 0) {
        s = warp_sums[lane];
        s = sum_warp(s);
        if (lane == 0)
            atomicAdd(out, (unsigned long long)s);
    }
}

void run(const int *a, const int *b, int n, unsigned long long *out)
{
    int blocks = (n + 1023) / 1024;
    if (blocks == 0) blocks = 1;
    cudaMemset(out, 0, sizeof *out);
    scalar_product<<<blocks, 256>>>(a, b, n, out);
}
