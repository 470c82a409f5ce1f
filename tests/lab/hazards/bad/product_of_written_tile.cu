// Threads write a tile for wgmma, and no fence.proxy.async hands it over.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    for (int i = threadIdx.x; i < 2048; i += 128)
        tile[i] = x[i]; // planted: missing proxy fence
    __syncthreads();
    float d[4] = {};
    wgmma_fence();
    multiply(d, descriptor(tile), descriptor(tile)); // planted: missing proxy fence
    wgmma_commit();
    wgmma_wait<0>();
    for (int i = 0; i < 4; ++i)
        out[4 * threadIdx.x + i] = __float_as_uint(d[i]);
}
