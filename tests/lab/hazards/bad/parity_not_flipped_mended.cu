// The mended twin of parity_not_flipped.cu.
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
    unsigned sum = 0;
    for (int i = 0; i < 2; ++i) {
        if (threadIdx.x == 0) {
            fence_async();
            expect(&full, 8192);
            load(tile, &map, &full);
        }
        wait(&full, i);
        sum += tile[threadIdx.x + i];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
