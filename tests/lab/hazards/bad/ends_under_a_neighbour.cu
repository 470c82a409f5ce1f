// A block of a cluster ends while the other may still read its shared memory.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ unsigned values[32];
    values[threadIdx.x] = x[threadIdx.x];
    cluster_sync();
    if (rank() == 1)
        out[threadIdx.x] = load_from_block(&values[threadIdx.x], 0); // planted: exit too early
}
