// Sums of chunks of k, which a block adds up one after another: the bits of split-K, without its launch.
//
// Where a row's bits must not depend on the other rows, k is cut by its length alone. With few rows each chunk is a
// split, so that all multiprocessors have one; with many, a block multiplies all chunks of its tile. A chunk begins at
// 0 as a split does, and sums are added in the order of splitk_reduce.cu. It begins with 0 + the first, which is the
// first: the tensor cores' sums are never -0. The sums of the chunks before wait in registers, where a thread has them
// to spare. Else a part waits in shared memory, where results pass through later, and the rest in memory (L2). A thread
// reads and writes places of its own, so that it waits for nothing but the loads, and the first of these are asked for
// while the chunk is multiplied still.
//
// Macro: K_IN_CHUNKS, 1 where a block adds up chunks, 2 where their sums wait in registers.
#pragma once

#include "device/sm90/barrier.cuh"
#include "device/sm90/tile.cuh"
#include "device/sm90/tma.cuh"

#ifndef K_IN_CHUNKS
#define K_IN_CHUNKS 0
#endif

// REGISTERS: those of a consumer's thread; STAGING_BYTES: what results of a consumer pass through, and IS_STORED_FROM:
// whether the copy engine stores them from there. None of the three matters where sums wait in registers.
template <int REGISTERS, int STAGING_BYTES, bool IS_STORED_FROM> struct ChunkSums {
    static constexpr bool IN_REGISTERS = K_IN_CHUNKS != 1;
    static constexpr int FOURS = M_TILES * BLOCK_N / 8; // of a thread's sums, four together
    static constexpr int FIT = STAGING_BYTES / WARPGROUP_THREADS / static_cast<int>(sizeof(float4));
    static constexpr int STAGED = IN_REGISTERS ? 0 : FIT < FOURS ? FIT : FOURS;
    static constexpr int IN_MEMORY = FOURS - STAGED;
    // Asked for at once: with fewer registers beside these and the sums a consumer spills, more are no faster.
    static constexpr int OTHERS = 64, MOST = 8, LEAST = 1;
    static constexpr int ROOM = (REGISTERS - 4 * FOURS - OTHERS) / 4;
    static constexpr int HELD = IN_REGISTERS ? FOURS : ROOM > MOST ? MOST : ROOM > LEAST ? ROOM : LEAST;
    static constexpr int ASKED_BEFORE = 3; // steps before the end of a chunk

    float4 *waiting, *staged; // this thread's; its next one is as far away as a warpgroup has threads
    int thread, warps_id;
    float4 before[HELD] = {};

    // warps_id: of the hardware barrier for the consumer's warps.
    __device__ __forceinline__ ChunkSums(unsigned char* workspace, unsigned char* staging, int consumer, int thread,
                                         int warps_id)
        : waiting(reinterpret_cast<float4*>(workspace) +
                  (static_cast<long long>(blockIdx.x) * CONSUMERS + consumer) * FOURS * WARPGROUP_THREADS + thread),
          staged(reinterpret_cast<float4*>(staging) + thread), thread(thread), warps_id(warps_id)
    {
    }

    // To be called in each of a chunk's steps: in one of the last, ask for sums that wait.
    __device__ __forceinline__ void look_ahead(int step, int first, int end)
    {
        if constexpr (!IN_REGISTERS)
            if (first > 0 && step == max(first, end - ASKED_BEFORE))
#pragma unroll
                for (int i = 0; i < HELD && i < IN_MEMORY; ++i)
                    before[i] = __ldcg(waiting + i * WARPGROUP_THREADS);
    }

    // Add to a chunk's sums those of the chunks before it, and keep them for the next one. Return true after the last.
    __device__ __forceinline__ bool add(float (&sums)[M_TILES][BLOCK_N / 2], bool is_first, bool is_last)
    {
        if (is_first)
            clear_staging();
        else
            add_those_before(sums);
        if (is_last) {
            if constexpr (STAGED > 0)
                warps_sync(warps_id, WARPGROUP_THREADS); // results of other threads pass through there
            return true;
        }
#pragma unroll
        for (int i = 0; i < FOURS; ++i) {
            const float* own = four_of(sums, i);
            const float4 four = make_float4(own[0], own[1], own[2], own[3]);
            if constexpr (IN_REGISTERS)
                before[i] = four;
            else if (i < IN_MEMORY)
                __stcg(waiting + i * WARPGROUP_THREADS, four);
            else
                staged[(i - IN_MEMORY) * WARPGROUP_THREADS] = four;
        }
        return false;
    }

  private:
    static __device__ __forceinline__ float* four_of(float (&sums)[M_TILES][BLOCK_N / 2], int i)
    {
        return &sums[i * 4 / (BLOCK_N / 2)][i * 4 % (BLOCK_N / 2)];
    }

    // Wait until the tile before is stored from there, in boxes or by other threads.
    __device__ __forceinline__ void clear_staging() const
    {
        if constexpr (STAGED > 0) {
            if (IS_STORED_FROM && thread == 0)
                wait_for_stores_to_read<0>();
            warps_sync(warps_id, WARPGROUP_THREADS);
        }
    }

    __device__ __forceinline__ void add_those_before(float (&sums)[M_TILES][BLOCK_N / 2])
    {
#pragma unroll
        for (int i = 0; i < FOURS; ++i) {
            float* own = four_of(sums, i);
            const float4 other = i < IN_MEMORY ? before[i % HELD] : staged[(i - IN_MEMORY) * WARPGROUP_THREADS];
            own[0] += other.x, own[1] += other.y, own[2] += other.z, own[3] += other.w;
            if (i + HELD < IN_MEMORY)
                before[i % HELD] = __ldcg(waiting + (i + HELD) * WARPGROUP_THREADS);
        }
    }
};
