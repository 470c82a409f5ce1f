// A kernel reads what the launch before writes, before griddepcontrol.wait.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    unsigned value = out[threadIdx.x + 64]; // planted: dependent launch
    wait_for_launch_before(); // planted: dependent launch
    out[threadIdx.x] = value + x[threadIdx.x];
    let_next_launch_begin();
}
