// The stages of the pipeline: tiles of A and B in shared memory, each with a barrier for "full" and one for "empty".
//
// The producer waits until a stage is empty, asks the copy engine for its tiles, and goes on to the next; the engine
// reports the bytes to "full". Consumers wait for "full", multiply, and arrive at "empty". Where blocks of a cluster
// share a tile, each asks for a part of it, and the engine writes the part into all of them: a stage is empty when the
// consumers of all of them have left it.
#pragma once

#include "device/mma/wgmma_operands.cuh"
#include "device/sm90/tile.cuh"
#include "device/sm90/tma.cuh"

struct Stages {
    unsigned char *a, *b;
    Barrier *full, *empty;
};

// Where a loop over the stages is: the stage, and the parity of its phase.
struct Turn {
    int stage = 0;
    unsigned parity = 0;

    __device__ __forceinline__ void next()
    {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

// A warp has read a stage: each block that loads a part of it is told so, by a lane for each.
__device__ __forceinline__ void leave_stage(const Stages& stages, int stage, int lane)
{
    if (CLUSTER > 1 && lane < CLUSTER)
        barrier_arrive_at(&stages.empty[stage], lane);
    else if (CLUSTER == 1 && lane == 0)
        barrier_arrive(&stages.empty[stage]);
}

// Load one box of a part that SHARING blocks of the cluster load together.
template <int SHARING, bool BATCHES>
__device__ __forceinline__ void load_part(unsigned short blocks, void* to, const TensorMap& map, Barrier* full,
                                          BoxAt at)
{
    if constexpr (SHARING > 1)
        load_box_to<BATCHES>(blocks, to, map, full, at);
    else
        load_box<BATCHES>(to, map, full, at);
}

// Ask for the tile of an operand whose first row (of A; column of B) is `mn` and whose first k is `k`. Of the blocks
// that share it, each asks for one `part`: some of the rows (K-major) or some of the k (MN-major).
template <bool K_MAJOR, int EXTENT, int SHARING, bool BATCHES = BATCHED>
__device__ __forceinline__ void load_tile(unsigned char* tile, const TensorMap& map, Barrier* full, int mn, int k,
                                          int batch_1, int batch_2, int part, unsigned short blocks)
{
    if constexpr (K_MAJOR) {
        constexpr int ROWS = EXTENT / SHARING;
#pragma unroll
        for (int i = 0; i < BLOCK_K / ROW_ELEMENTS; ++i)
            load_part<SHARING, BATCHES>(blocks, tile + i * EXTENT * SWIZZLE_BYTES + part * ROWS * SWIZZLE_BYTES, map,
                                        full, {k + ROW_ELEMENTS * i, mn + part * ROWS, batch_1, batch_2});
    } else {
        constexpr int ROWS = BLOCK_K / SHARING;
#pragma unroll
        for (int i = 0; i < (EXTENT + ROW_ELEMENTS - 1) / ROW_ELEMENTS; ++i)
            load_part<SHARING, BATCHES>(blocks, tile + i * BLOCK_K * SWIZZLE_BYTES + part * ROWS * SWIZZLE_BYTES, map,
                                        full, {mn + ROW_ELEMENTS * i, k + part * ROWS, batch_1, batch_2});
    }
}
