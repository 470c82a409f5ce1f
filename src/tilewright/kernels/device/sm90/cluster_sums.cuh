// Split-K within a cluster: its blocks multiply parts of k, and the first of them adds all sums.
//
// A thread sends its sums to the same thread of the first block: each store goes to that block's shared memory and
// counts its bytes at a barrier there. So sums never reach the memory, no fence is needed, and a block that has sent
// its sums ends. The first block adds them in the order of the parts: the same bits in every run.
// Source: PTX ISA, "Data movement and conversion instructions: st.async".
#pragma once

#include "device/sm90/barrier.cuh"
#include "device/sm90/tile.cuh"

#ifndef CLUSTER_K
#define CLUSTER_K 1
#endif
static_assert(CLUSTER_K == 1 || CLUSTER == 1, "blocks of a cluster share loads, or k");

constexpr int SUMS_OF_BLOCK_BYTES = BLOCK_M * BLOCK_N * 4;
constexpr int CLUSTER_SUMS_BYTES = (CLUSTER_K - 1) * SUMS_OF_BLOCK_BYTES;

// Four sums to an address of the first block's shared memory, counted at its barrier.
__device__ __forceinline__ void send_four(unsigned to, const float* sums, unsigned barrier)
{
    asm volatile("{\n"
                 ".reg .b32 remote, remote_barrier;\n"
                 "mapa.shared::cluster.u32 remote, %0, 0;\n"
                 "mapa.shared::cluster.u32 remote_barrier, %5, 0;\n"
                 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [remote], {%1, %2, %3, %4}, "
                 "[remote_barrier];\n"
                 "}" ::"r"(to),
                 "f"(sums[0]), "f"(sums[1]), "f"(sums[2]), "f"(sums[3]), "r"(barrier)
                 : "memory");
}

// The sums of the block that multiplies part `part` of k, to their place in `all` of the first block.
template <int THREADS>
__device__ __forceinline__ void send_sums(const float (&sums)[M_TILES][BLOCK_N / 2], int part, float4* all,
                                          Barrier* arrived)
{
    unsigned to = shared_address(all) + (part - 1) * SUMS_OF_BLOCK_BYTES + threadIdx.x * 16;
#pragma unroll
    for (int i = 0; i < M_TILES; ++i)
#pragma unroll
        for (int j = 0; j < BLOCK_N / 8; ++j)
            send_four(to + (i * (BLOCK_N / 8) + j) * THREADS * 16, &sums[i][4 * j], shared_address(arrived));
}

// Wait for the sums of all other blocks and add them, part after part.
template <int THREADS>
__device__ __forceinline__ void take_sums(float (&sums)[M_TILES][BLOCK_N / 2], const float4* all, Barrier* arrived)
{
    barrier_wait(arrived, 0);
#pragma unroll 1
    for (int part = 1; part < CLUSTER_K; ++part, all += SUMS_OF_BLOCK_BYTES / 16)
#pragma unroll
        for (int i = 0; i < M_TILES; ++i)
#pragma unroll
            for (int j = 0; j < BLOCK_N / 8; ++j) {
                float4 four = all[(i * (BLOCK_N / 8) + j) * THREADS + threadIdx.x];
                sums[i][4 * j] += four.x;
                sums[i][4 * j + 1] += four.y;
                sums[i][4 * j + 2] += four.z;
                sums[i][4 * j + 3] += four.w;
            }
}
