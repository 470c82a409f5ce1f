// A tile is read behind __syncthreads, and nobody has waited for the copy.
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
        load(tile, &map, &full); // planted: read before it came
    }
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x]; // planted: read before it came
}
