// A barrier for one arrival gets one of each lane.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ Barrier done;
    __shared__ unsigned sum[33];
    if (threadIdx.x == 0) {
        init(&done, 1); // planted: too many arrivals
        publish_barriers();
    }
    __syncthreads();
    sum[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    arrive(&done); // planted: too many arrivals
    wait(&done, 0);
    out[threadIdx.x] = sum[32 - threadIdx.x];
}
