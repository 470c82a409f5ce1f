// Rows of A^T that begin anywhere, copied by threads: cp.async where the copy engine cannot address them.
//
// A box needs rows that all begin on 16 bytes. Here a row of k comes in vectors from the boundary at or before its
// first element on, so in a stage it begins up to three elements late, as it does in memory; threads that read A from
// shared memory (turned_stage.cuh) read from there. Elements are copied as they are, so these threads round them to
// tf32. What lies behind a row's end, and rows behind the last of k, are 0 without being read.
// All of the producer's threads copy; each reports to the stage's barrier when its copies have come. Tried as well on
// an H100: a copy in bulk for each row, of which the engine takes one in 90 cycles; 4097^3 took 1.7 times as long.
// Source: PTX ISA, "cp.async".
#pragma once

#include "device/memory/operand.cuh"
#include "device/sm90/barrier.cuh"
#include "device/sm90/tile.cuh"

constexpr int A_ROW_BYTES = A_ROW_ELEMENTS * static_cast<int>(sizeof(float));
constexpr int ELEMENTS_OF_VECTOR = VECTOR_BYTES / static_cast<int>(sizeof(float));
constexpr int WHOLE_VECTORS = BLOCK_M / ELEMENTS_OF_VECTOR; // of a row; there is one more, since it may begin late
constexpr int ROWS_OF_WARP = BLOCK_K / WARPS_OF_WARPGROUP;

// What a thread of the producer copies of a tile. A warp takes every fourth row, whose shifts are the same; of each a
// lane takes one vector of 32, or two, and of the last vectors of all rows one.
struct RowCopies {
    const float *some, *from, *last_from; // an element that exists; of the warp's first row, and of the lane's row
    long long step;                // from one row of the warp to the next
    int inside, lane, warp;        // elements of a row that are to be copied, from the boundary on

    // From row `a` of k on, `columns` elements of each.
    __device__ __forceinline__ RowCopies(const float* a, long long row_stride, int columns, int thread)
        : some(a - elements_past_boundary(a)), step(row_stride * WARPS_OF_WARPGROUP), lane(thread % 32),
          warp(thread / 32)
    {
        a += warp * row_stride;
        int shift = elements_past_boundary(a);
        inside = columns + shift;
        from = a - shift + lane * ELEMENTS_OF_VECTOR;
        last_from = a - shift + lane * step + WHOLE_VECTORS * ELEMENTS_OF_VECTOR;
    }

    // Copy what there is of a row's vector, and zeros.
    __device__ __forceinline__ void copy(unsigned char* to, const float* from, int vector, bool exists) const
    {
        int elements = exists ? min(max(inside - vector * ELEMENTS_OF_VECTOR, 0), ELEMENTS_OF_VECTOR) : 0;
        copy_async<VECTOR_BYTES>(to + vector * VECTOR_BYTES, elements > 0 ? from : some,
                                 elements * static_cast<int>(sizeof(float)));
    }

    // Ask for the next BLOCK_K rows, of which `rows` exist.
    __device__ __forceinline__ void ask_for_stage(unsigned char* stage, int rows)
    {
        unsigned char* to = stage + warp * A_ROW_BYTES;
#pragma unroll
        for (int i = 0; i < ROWS_OF_WARP; ++i) {
#pragma unroll
            for (int first = 0; first < WHOLE_VECTORS; first += 32)
                if (first + lane < WHOLE_VECTORS)
                    copy(to + i * WARPS_OF_WARPGROUP * A_ROW_BYTES, from + first * ELEMENTS_OF_VECTOR, first + lane,
                         warp + i * WARPS_OF_WARPGROUP < rows);
            from += step;
        }
        if (lane < ROWS_OF_WARP)
            copy(to + lane * WARPS_OF_WARPGROUP * A_ROW_BYTES, last_from, WHOLE_VECTORS,
                 warp + lane * WARPS_OF_WARPGROUP < rows);
        last_from += ROWS_OF_WARP * step;
    }
};
