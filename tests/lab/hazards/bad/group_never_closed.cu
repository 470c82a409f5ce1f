// A thread waits for groups and has closed none with its copy.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    tile[threadIdx.x] = x[threadIdx.x];
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        store_line(out, tile, 512); // planted: exit too early
        wait_for_copies<0>();
    }
}
