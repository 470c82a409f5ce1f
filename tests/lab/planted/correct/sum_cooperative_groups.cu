// Sum of n elements; every tile of 16 threads adds its sum to the result, which starts as 0.
// Style: cooperative groups, a block and tiles of it.

#include <cooperative_groups.h>

namespace groups = cooperative_groups;

extern "C" __global__ void sum(const float* x, float* result, int n)
{
    __shared__ float of_tile[8];
    groups::thread_block block = groups::this_thread_block();
    groups::thread_block_tile<16> tile = groups::tiled_partition<16>(block);

    float own = 0;
    for (int i = blockIdx.x * blockDim.x + block.thread_rank(); i < n; i += gridDim.x * blockDim.x)
        own += x[i];
    for (int distance = tile.size() / 2; distance > 0; distance /= 2)
        own += tile.shfl_down(own, distance);
    if (tile.thread_rank() == 0)
        of_tile[block.thread_rank() / 16] = own;
    block.sync();

    if (block.thread_rank() == 0) {
        float total = 0;
        for (int i = 0; i < block.size() / 16; ++i)
            total += of_tile[i];
        atomicAdd(result, total);
    }
}
