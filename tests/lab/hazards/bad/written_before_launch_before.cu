// A kernel writes global memory before griddepcontrol.wait.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    out[threadIdx.x] = 0; // planted: dependent launch
    unsigned value = x[threadIdx.x];
    wait_for_launch_before(); // planted: dependent launch
    out[threadIdx.x] = value;
    let_next_launch_begin();
}
