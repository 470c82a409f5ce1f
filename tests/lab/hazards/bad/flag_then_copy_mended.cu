// The mended twin of flag_then_copy.cu.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tile[2048];
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        publish_barriers();
    }
    __syncthreads();
    volatile unsigned* flag = out + 256;
    if (threadIdx.x / 32 == 1) {
        out[threadIdx.x - 32] = x[threadIdx.x];
        __threadfence();
        __syncwarp();
        if (threadIdx.x == 32)
            atomicExch(out + 256, 7);
    } else if (threadIdx.x == 0) {
        while (*flag != 7)
            ;
        __threadfence();
        fence_async();
        expect(&full, 128);
        load_line(tile, out, 128, &full);
        wait(&full, 0);
        out[300] = tile[5];
    }
}
