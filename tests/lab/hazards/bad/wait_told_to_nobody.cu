// The leader waits for its store, and the others write the buffer without a barrier after that.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    tile[threadIdx.x] = x[threadIdx.x];
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        store_line(out, tile, 512); // planted: overwritten too early
        commit_copies();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        wait_for_copies<0>();
    tile[threadIdx.x] = 0; // planted: overwritten too early
}
