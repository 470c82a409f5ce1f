// A barrier for 64 arrivals gets those of one warp.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ Barrier done;
    __shared__ unsigned sum[64];
    if (threadIdx.x == 0) {
        init(&done, 64); // planted: too few arrivals
        publish_barriers();
    }
    __syncthreads();
    sum[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x < 32)
        arrive(&done); // planted: too few arrivals
    wait(&done, 0);
    out[threadIdx.x] = sum[63 - threadIdx.x];
}
