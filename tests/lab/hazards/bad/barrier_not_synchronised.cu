// Threads wait at an mbarrier, and no barrier lies between that and its initialisation.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        init(&full, 1); // planted: barrier not published
        publish_barriers();
        expect(&full, 8192);
        load(tile, &map, &full);
    }
    wait(&full, 0); // planted: barrier not published
    out[threadIdx.x] = tile[threadIdx.x];
}
