// Sums of a part of a tile, handed from a consumer to the same consumer of another cluster within one launch.
//
// A block leaves them in its own place of the workspace, and then one sealed word that says so (sealed_words.cuh: the
// workspace need not be cleared). Between sums and word stands a fence: the word tells of what other threads wrote.
// Word i of all threads lies side by side, so that warps write and read whole lines.
// Source: PTX ISA, memory consistency model: causality through a barrier, a fence, and a word that is read.
#pragma once

#include "device/mma/wgmma.cuh"
#include "device/memory/sealed_words.cuh"
#include "device/sm90/barrier.cuh"
#include "device/sm90/tile.cuh"

constexpr int FOURS = BLOCK_N / 8; // of a thread's sums of 64 rows, four together
constexpr int LINE_OF_WORD = 128;  // bytes: a word that is waited for has a line of its own
constexpr int HANDED_BYTES = M_TILES * FOURS * WARPGROUP_THREADS * static_cast<int>(sizeof(float4)) + LINE_OF_WORD;
constexpr int FOURS_AT_ONCE = FOURS % 8 == 0 ? 8 : 4; // asked for together: they take registers beside the sums

struct HandedTile {
    float4* sums;
    SealedWord* word;

    __device__ __forceinline__ HandedTile(unsigned char* workspace, int block, int consumer)
    {
        unsigned char* place = workspace + (static_cast<long long>(block) * CONSUMERS + consumer) * HANDED_BYTES;
        sums = reinterpret_cast<float4*>(place);
        word = reinterpret_cast<SealedWord*>(place + HANDED_BYTES - LINE_OF_WORD);
    }
};

__device__ __forceinline__ void leave_tile(const HandedTile& to, const float (&sums)[M_TILES][BLOCK_N / 2], int thread,
                                           int warps_id)
{
#pragma unroll
    for (int i = 0; i < M_TILES; ++i)
#pragma unroll
        for (int j = 0; j < FOURS; ++j)
            __stcg(to.sums + (i * FOURS + j) * WARPGROUP_THREADS + thread,
                   make_float4(sums[i][4 * j], sums[i][4 * j + 1], sums[i][4 * j + 2], sums[i][4 * j + 3]));
    warps_sync(warps_id, WARPGROUP_THREADS);
    if (thread == 0) {
        __threadfence();
        leave_word(to.word, 1);
    }
}

// Wait for another's sums, and add them.
__device__ __forceinline__ void add_tile(const HandedTile& from, float (&sums)[M_TILES][BLOCK_N / 2], int thread,
                                         int warps_id)
{
    if (thread == 0) {
        unsigned long long word;
        while (!find_word(from.word, word)) {
        }
        clear_word(from.word);
        __threadfence();
    }
    warps_sync(warps_id, WARPGROUP_THREADS);
#pragma unroll
    for (int i = 0; i < M_TILES; ++i)
#pragma unroll
        for (int first = 0; first < FOURS; first += FOURS_AT_ONCE) {
            float4 of[FOURS_AT_ONCE];
#pragma unroll
            for (int j = 0; j < FOURS_AT_ONCE; ++j)
                if (first + j < FOURS)
                    of[j] = __ldcg(from.sums + (i * FOURS + first + j) * WARPGROUP_THREADS + thread);
#pragma unroll
            for (int j = 0; j < FOURS_AT_ONCE; ++j)
                if (first + j < FOURS) {
                    float* own = &sums[i][4 * (first + j)];
                    own[0] += of[j].x, own[1] += of[j].y, own[2] += of[j].z, own[3] += of[j].w;
                }
        }
}
