// The buffer of a store in bulk is written again before its group was waited for.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    for (int i = 0; i < 2; ++i) {
        tile[threadIdx.x] = x[threadIdx.x + 128 * i]; // planted: overwritten too early
        fence_async();
        __syncthreads();
        if (threadIdx.x == 0) {
            store_line(out + 128 * i, tile, 512); // planted: overwritten too early
            commit_copies();
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        wait_for_copies<0>();
}
