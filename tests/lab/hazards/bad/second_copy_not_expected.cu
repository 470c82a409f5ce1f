// Two copies report to a barrier that expects one.
#include "hazards.cuh"

extern "C" __global__ void kernel(const __grid_constant__ Map map, const unsigned* x, unsigned* out)
{
    __shared__ __align__(1024) unsigned tiles[2][2048];
    __shared__ Barrier full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        publish_barriers();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, 8192); // planted: bytes do not match
        load(tiles[0], &map, &full);
        load(tiles[1], &map, &full); // planted: bytes do not match
    }
    wait(&full, 0);
    out[threadIdx.x] = tiles[0][threadIdx.x] + tiles[1][threadIdx.x];
}
