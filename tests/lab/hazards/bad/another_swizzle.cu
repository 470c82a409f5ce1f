// The descriptor has a swizzle of 64 bytes, the tensor map one of 128.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        publish_barriers();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, 8192);
        load(tile, &map, &full); // planted: wrong swizzle
    }
    wait(&full, 0);
    float d[4] = {};
    wgmma_fence();
    multiply(d, descriptor(tile, 2, 512), descriptor(tile, 2, 512)); // planted: wrong swizzle
    wgmma_commit();
    wgmma_wait<0>();
    for (int i = 0; i < 4; ++i)
        out[4 * threadIdx.x + i] = __float_as_uint(d[i]);
}
