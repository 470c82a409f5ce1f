// Threads write a buffer that a copy in bulk reads, with a barrier and no fence.proxy.async.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    tile[threadIdx.x] = x[threadIdx.x]; // planted: missing proxy fence
    __syncthreads();
    if (threadIdx.x == 0) {
        store_line(out, tile, 4 * blockDim.x); // planted: missing proxy fence
        commit_copies();
        wait_for_copies<0>();
    }
}
