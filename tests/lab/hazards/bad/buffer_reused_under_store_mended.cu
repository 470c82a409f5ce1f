// The mended twin of buffer_reused_under_store.cu.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    for (int i = 0; i < 2; ++i) {
        tile[threadIdx.x] = x[threadIdx.x + 128 * i];
        fence_async();
        __syncthreads();
        if (threadIdx.x == 0) {
            store_line(out + 128 * i, tile, 512);
            commit_copies();
            wait_for_copies<0>();
        }
        __syncthreads();
    }
}
