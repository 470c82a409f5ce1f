// Dot product with cooperative groups: partial sums per block, added by a second kernel.
//
//   dotPartial <<<blocks, threads>>>(x, y, n, partial);   // any number of blocks
//   sumPartial <<<1, 1024>>>(partial, blocks, result);
//
// threads is a multiple of 32, at least 32 and at most 1024.
#include <cuda_runtime.h>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Sum over the block; the value is valid in thread 0.
__device__ float blockSum(cg::thread_block block, float v)
{
    __shared__ float perWarp[32];
    auto warp = cg::tiled_partition<32>(block);

    for (int d = warp.size() / 2; d > 0; d /= 2)
        v += warp.shfl_down(v, d);

    if (warp.thread_rank() == 0)
        perWarp[warp.meta_group_rank()] = v;
    block.sync();

    if (warp.meta_group_rank() == 0) {
        v = perWarp[warp.thread_rank()];
        for (int d = warp.size() / 2; d > 0; d /= 2)
            v += warp.shfl_down(v, d);
    }
    return v;
}

__global__ void __launch_bounds__(1024)
dotPartial(const float* __restrict__ x, const float* __restrict__ y, size_t n, float* partial)
{
    const cg::thread_block block = cg::this_thread_block();

    const size_t step = (size_t)gridDim.x * blockDim.x;
    float s = 0.0f;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        s += x[i] * y[i];

    s = blockSum(block, s);
    if (block.thread_rank() == 0)
        partial[blockIdx.x] = s;
}

__global__ void __launch_bounds__(1024)
sumPartial(const float* partial, int count, float* result)
{
    const cg::thread_block block = cg::this_thread_block();

    float s = 0.0f;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        s += partial[i];

    s = blockSum(block, s);
    if (block.thread_rank() == 0)
        *result = s;
}
