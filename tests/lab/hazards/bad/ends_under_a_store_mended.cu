// The mended twin of ends_under_a_store.cu.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    tile[threadIdx.x] = x[threadIdx.x];
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        store_line(out, tile, 512);
        commit_copies();
        wait_for_copies<0>();
    }
}
