// The mended twin of named_barrier_counts.cu.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ unsigned values[64];
    values[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x < 32)
        sync_some<1>(64);
    else
        sync_some<1>(64);
    out[threadIdx.x] = values[63 - threadIdx.x];
}
