// The mended twin of written_before_launch_before.cu.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    unsigned value = x[threadIdx.x];
    wait_for_launch_before();
    out[threadIdx.x] = value;
    let_next_launch_begin();
}
