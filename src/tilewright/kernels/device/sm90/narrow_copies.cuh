// A B of few columns that lies across k, copied by the warp that loads.
//
// A box of the copy engine is 128 bytes wide, and a row of such a B has 16 or 32: most of a stage would be zeros, and
// the engine takes as long for a short row as for a whole one. Here a lane copies eight columns of a row at once. The
// stage is in lines of 16 bytes, which no swizzle touches: eight columns at every k, then the next eight columns.
// Source: PTX ISA, "cp.async", and the canonical layouts of "Asynchronous warpgroup level matrix instructions".
#pragma once

#include "device/memory/operand.cuh"
#include "device/sm90/barrier.cuh"
#include "device/sm90/tile.cuh"

// What a lane copies: of each group of eight columns every 32nd row.
struct NarrowCopies {
    const ELEMENT* b; // the first row and column of the tile
    long long row_stride;
    int columns, rows, lane; // of B from there on; which lane of the warp

    // Ask for BLOCK_K rows from row `k` on. Rows and columns that B does not have are 0 without being read.
    __device__ __forceinline__ void ask_for_stage(unsigned char* stage, int k) const
    {
#pragma unroll
        for (int group = 0; group < BLOCK_N / 8; ++group)
#pragma unroll
            for (int row = 0; row < BLOCK_K; row += 32) {
                int elements = k + row + lane < rows ? min(max(columns - 8 * group, 0), 8) : 0;
                const ELEMENT* from = elements > 0 ? b + (k + row + lane) * row_stride + 8 * group : b;
                copy_async<VECTOR_BYTES>(stage + (group * BLOCK_K + row + lane) * VECTOR_BYTES, from,
                                         elements * OPERAND_BYTES);
            }
    }
};
