// The mended twin of refilled_without_fence.cu.
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
        load(tile, &map, &full);
    }
    wait(&full, 0);
    out[threadIdx.x] = tile[threadIdx.x];
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, 8192);
        load(tile, &map, &full);
    }
    wait(&full, 1);
    out[128 + threadIdx.x] = tile[2047 - threadIdx.x];
}
