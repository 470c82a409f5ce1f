// Stream-K: blocks share the tiles of C that whole waves of blocks leave over, each as many steps along k as any other.
//
// Where a chip holds 132 blocks at a time, 140 tiles take as long as 264: after the first wave 124 places stay empty.
// Here 132 blocks share all 140. A block's steps begin and end within tiles:
//
//      tile 0    |    tile 1     |    tile 2
//   |  block 0      |  block 1      |  block 2 ...     a block ends after as many steps as the others
//
// What a block has of the tile in which it ends it leaves to the block after it, and adds to the tile in which it
// begins what the blocks before it have of that one. Nobody waits for long: every block computes its last part first.
// Nobody waits for ever: it waits for blocks of lower numbers alone, which start before it.
//
// Macro: STREAM_K, 1 where blocks share tiles.
// Source: Osama et al., "Stream-K: Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the
// GPU", 2023, whose blocks begin with their first part and wait at the end.
#pragma once

#include "device/memory/handed_sums.cuh"
#include "device/memory/layer.cuh"

#ifndef STREAM_K
#define STREAM_K 0
#endif

// How the tiles of C, in all layers, are shared: the first `whole` have a block each, `blocks` more share the others.
// Each tile takes `steps`. `first` is the number of the launch's first block: those before it are another launch's.
struct SharedTiles {
    long long tiles, whole, blocks, first;
    int steps;
};

// Consecutive steps along k of a tile.
struct Segment {
    long long tile;
    int first, end;
};

// The parts of tiles that a block computes, the last one first. Without STREAM_K: whole tiles, in turns of the grid.
//
// What is left of a block's steps lies in shared memory, and all else is worked out from it anew: registers that hold
// it while a tile is multiplied would be short there.
struct Segments {
    const SharedTiles& shared;
    int& left; // the block's steps that are not computed, with STREAM_K
    long long turn; // the tile at hand, without it

    // `left` lies in shared memory.
    __device__ __forceinline__ Segments(const SharedTiles& shared, int& left)
        : shared(shared), left(left), turn(blockIdx.x)
    {
        if (STREAM_K && threadIdx.x == 0)
            left = static_cast<int>(begin_of(block() + 1) - begin_of(block()));
    }

    __device__ __forceinline__ bool any() const
    {
        if (!STREAM_K)
            return turn < shared.tiles;
        __syncthreads();
        return left > 0;
    }

    // The segment at hand.
    __device__ __forceinline__ Segment now() const
    {
        if (!STREAM_K)
            return {turn, 0, 1};
        long long begin = begin_of(block()), last = begin + left - 1, tile = last / shared.steps;
        long long inside = begin - tile * shared.steps; // negative where the block begins before the tile
        return {tile, inside > 0 ? static_cast<int>(inside) : 0, static_cast<int>(last - tile * shared.steps) + 1};
    }

    __device__ __forceinline__ void go_on()
    {
        if (!STREAM_K) {
            turn += gridDim.x;
            return;
        }
        Segment done = now();
        __syncthreads();
        if (threadIdx.x == 0)
            left -= done.end - done.first;
    }

    // Hand a segment's sums to the block that ends its tile, or add what other blocks have of it. Returns whether the
    // sums are complete. WORDS are taken from another block at a time.
    template <typename Sum, int THREADS, int WORDS, typename Sums>
    __device__ __forceinline__ bool complete(const Segment& done, Sums& sums, SealedWord* workspace) const
    {
        if (!STREAM_K)
            return true;
        constexpr long long OF_BLOCK = WORDS_OF<Sum, Sums> * THREADS;
        SealedWord* mine = workspace + (block() - shared.whole) * OF_BLOCK + threadIdx.x;
        if (done.end < shared.steps) {
            leave_sums<Sum, THREADS>(mine, sums);
            return false;
        }
        if (done.first > 0) {
            int others = 1;
            while (begin_of(block() - others) > done.tile * shared.steps)
                ++others;
            take_sums<Sum, THREADS, WORDS>(mine - OF_BLOCK, others, -OF_BLOCK, sums);
        }
        return true;
    }

  private:
    // The number of this block, asked for each time.
    __device__ __forceinline__ long long block() const
    {
        unsigned number;
        asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(number));
        return shared.first + number;
    }

    // The first step of a block, over all tiles.
    __device__ __forceinline__ long long begin_of(long long block) const
    {
        if (block <= shared.whole)
            return block * shared.steps;
        return shared.whole * shared.steps +
               (block - shared.whole) * ((shared.tiles - shared.whole) * shared.steps) / shared.blocks;
    }
};
