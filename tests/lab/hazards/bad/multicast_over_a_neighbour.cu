// The next multicast goes out when the own block has read the tile, and not the other one.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        publish_barriers();
    }
    cluster_sync();
    unsigned sum = 0;
    for (int i = 0; i < 2; ++i) {
        if (threadIdx.x == 0)
            expect(&full, 8192);
        if (i == 0)
            cluster_sync();
        if (rank() == 1 && threadIdx.x == 0)
            load_to_blocks(tile, &map, &full, 3); // planted: overwritten too early
        wait(&full, i);
        sum += tile[threadIdx.x];
        fence_async();
        __syncthreads();
    }
    out[32 * rank() + threadIdx.x] = sum;
    cluster_sync();
}
