#include <cuda_runtime.h>
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// 16 位整数向量（如音频采样，取值范围 -32768..32767）的点积，结果为 64 位整数
// n 必须是偶数，指针按 4 字节对齐；*result 在启动前由主机清零
// 启动：dot_i16<<<任意网格, 任意 32 的倍数>>>

typedef unsigned long long u64;

__device__ __forceinline__ long long tile_sum(cg::thread_block_tile<32> tile, long long v)
{
    for (int d = tile.size() / 2; d > 0; d >>= 1)
        v += tile.shfl_down(v, d);
    return v;
}

__global__ void dot_i16(const short *__restrict__ x, const short *__restrict__ y, int n,
                        long long *result)
{
    cg::thread_block cta = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cta);

    const short2 *x2 = reinterpret_cast<const short2 *>(x);
    const short2 *y2 = reinterpret_cast<const short2 *>(y);
    const int pairs = n >> 1;
    const int step = gridDim.x * blockDim.x;

    // 每个线程先在寄存器里累加
    int acc = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pairs; i += step) {
        const short2 a = x2[i];
        const short2 b = y2[i];
        acc += a.x * b.x + a.y * b.y;
    }

    // 线程束内用 64 位求和，每个线程束只做一次原子操作
    const long long total = tile_sum(tile, (long long)acc);
    if (tile.thread_rank() == 0)
        atomicAdd(reinterpret_cast<u64 *>(result), (u64)total);
}
