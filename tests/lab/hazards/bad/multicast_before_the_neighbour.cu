// A multicast goes to a block of which nothing says that its barrier is initialised.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        init(&full, 1); // planted: barrier not published
        publish_barriers();
        expect(&full, 8192);
    }
    __syncthreads();
    if (rank() == 1 && threadIdx.x == 0)
        load_to_blocks(tile, &map, &full, 3); // planted: barrier not published
    wait(&full, 0);
    out[32 * rank() + threadIdx.x] = tile[threadIdx.x];
    cluster_sync();
}
