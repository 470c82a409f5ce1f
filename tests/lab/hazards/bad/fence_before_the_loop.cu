// A tile is written before a loop and in it; fence.proxy.async stands before the loop alone.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    float d[4] = {};
    for (int i = threadIdx.x; i < 2048; i += 128)
        tile[i] = x[i];
    fence_async();
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 4; ++k) {
        wgmma_fence();
        multiply(d, descriptor(tile) + 2 * k, descriptor(tile) + 2 * k); // planted: missing proxy fence
        wgmma_commit();
        wgmma_wait<0>();
        __syncthreads();
        tile[threadIdx.x] += 1024; // planted: missing proxy fence
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        out[4 * threadIdx.x + i] = __float_as_uint(d[i]);
}
