// ベクトルの内積（Cooperative Groups 版）
// カーネル 1: 各ブロックが部分和を bubun[blockIdx.x] に書く
// カーネル 2: 1 ブロックで部分和をまとめて kekka[0] に書く
#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr int kThreads = 512;
constexpr int kMaxBlocks = 256;

// ブロック内の総和。値は先頭のワープだけで有効。1 カーネルにつき 1 回だけ呼ぶ。
__device__ float blockGokei(const cg::thread_block& block, float v)
{
    __shared__ float warpWa[32];
    const auto warp = cg::tiled_partition<32>(block);

    v = cg::reduce(warp, v, cg::plus<float>());
    if (warp.thread_rank() == 0) warpWa[warp.meta_group_rank()] = v;
    block.sync();

    if (warp.meta_group_rank() == 0) {
        v = warp.thread_rank() < warp.meta_group_size() ? warpWa[warp.thread_rank()] : 0.f;
        v = cg::reduce(warp, v, cg::plus<float>());
    }
    return v;
}

__global__ void naisekiBubun(const float* __restrict__ a, const float* __restrict__ b,
                             float* __restrict__ bubun, size_t n)
{
    const auto block = cg::this_thread_block();
    const auto grid = cg::this_grid();

    float wa = 0.f;
    for (size_t i = grid.thread_rank(); i < n; i += grid.size())
        wa = fmaf(a[i], b[i], wa);

    wa = blockGokei(block, wa);
    if (block.thread_rank() == 0) bubun[blockIdx.x] = wa;
}

__global__ void naisekiMatome(const float* bubun, float* kekka, int kosu)
{
    const auto block = cg::this_thread_block();
    float wa = 0.f;
    for (int i = block.thread_rank(); i < kosu; i += block.size())
        wa += bubun[i];

    wa = blockGokei(block, wa);
    if (block.thread_rank() == 0) *kekka = wa;
}

// dBubun は kMaxBlocks 個以上の float を確保しておくこと
cudaError_t naiseki(const float* dA, const float* dB, float* dKekka, float* dBubun,
                    size_t n, cudaStream_t stream)
{
    const size_t hitsuyo = n / kThreads + 1;
    const int blocks = static_cast<int>(std::min<size_t>(hitsuyo, kMaxBlocks));

    naisekiBubun<<<blocks, kThreads, 0, stream>>>(dA, dB, dBubun, n);
    if (auto e = cudaGetLastError(); e != cudaSuccess) return e;

    naisekiMatome<<<1, 256, 0, stream>>>(dBubun, dKekka, blocks);
    return cudaGetLastError();
}
