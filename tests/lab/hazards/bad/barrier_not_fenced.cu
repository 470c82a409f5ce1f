// An mbarrier is initialised and a copy reports to it, without fence.mbarrier_init.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        init(&full, 1); // planted: barrier not published
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, 8192);
        load(tile, &map, &full); // planted: barrier not published
    }
    wait(&full, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}
