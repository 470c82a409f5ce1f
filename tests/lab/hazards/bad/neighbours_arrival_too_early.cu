// A block arrives at the barrier of another before the cluster has met.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ Barrier empty;
    if (threadIdx.x == 0) {
        init(&empty, 2); // planted: barrier not published
        publish_barriers();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        if (rank() == 1) {
            arrive_in_block(&empty, 0); // planted: barrier not published
        } else
            arrive(&empty);
    }
    if (rank() == 0)
        wait(&empty, 0);
    out[32 * rank() + threadIdx.x] = x[threadIdx.x];
    cluster_sync();
}
