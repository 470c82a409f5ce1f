// A wait for the first stage stands before the read of the second.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tiles[2][2048];
    __shared__ Barrier full[2];
    if (threadIdx.x == 0) {
        init(&full[0], 1);
        init(&full[1], 1);
        publish_barriers();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        for (int stage = 0; stage < 2; ++stage) {
            expect(&full[stage], 8192);
            load(tiles[stage], &map, &full[stage]); // planted: read before it came
        }
    wait(&full[0], 0);
    unsigned first = tiles[0][threadIdx.x];
    unsigned second = tiles[1][threadIdx.x]; // planted: read before it came
    wait(&full[1], 0);
    out[threadIdx.x] = first + second;
}
