#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// sum += <p, q>.  One-dimensional blocks, blockDim.x a multiple of 32 (at most 1024), any number
// of blocks.  The caller sets *sum (normally to zero) before the launch.
__global__ void dotCG(const float *p, const float *q, unsigned n, float *sum)
{
    __shared__ float tileSum[32];

    auto block = cg::this_thread_block();
    auto tile  = cg::tiled_partition<32>(block);
    auto grid  = cg::this_grid();

    float v = 0.0f;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        v += p[i] * q[i];

    v = cg::reduce(tile, v, cg::plus<float>());
    if (tile.thread_rank() == 0)
        tileSum[tile.meta_group_rank()] = v;
    block.sync();

    if (tile.meta_group_rank() == 0) {
        float w = tile.thread_rank() < tile.meta_group_size() ? tileSum[tile.thread_rank()] : 0.0f;
        w = cg::reduce(tile, w, cg::plus<float>());
        if (tile.thread_rank() == 0)
            atomicAdd(sum, w);
    }
}
