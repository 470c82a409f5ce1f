// The product takes the rows of A as contiguous, the rows of the box go along K.
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
        load(tile, &map, &full); // planted: wrong layout
    }
    wait(&full, 0);
    float d[4] = {};
    wgmma_fence();
    for (int k = 0; k < 4; ++k)
        multiply<1>(d, descriptor(tile) + 2 * k, descriptor(tile) + 2 * k); // planted: wrong layout
    wgmma_commit();
    wgmma_wait<0>();
    for (int i = 0; i < 4; ++i)
        out[4 * threadIdx.x + i] = __float_as_uint(d[i]);
}
