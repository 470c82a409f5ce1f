// Operands of any strides, and which tile of C a block works on.
//
// Macros: ELEMENT, the type of A and B; OUTPUT, that of C (ELEMENT or float); BLOCK_M and BLOCK_N, the tile of C.
// Strides and offsets are 64-bit and count elements; they may be 0 (broadcast) or negative.
#pragma once

#define OPERAND_PARAMETERS                                                                                      \
    const ELEMENT* A, const ELEMENT* B, OUTPUT* C, int m, int n, int k, long long a_row_stride,                 \
        long long a_column_stride, long long a_batch_stride_1, long long a_batch_stride_2,                      \
        long long b_row_stride, long long b_column_stride, long long b_batch_stride_1,                          \
        long long b_batch_stride_2, long long c_row_stride, long long c_column_stride,                          \
        long long c_batch_stride_1, long long c_batch_stride_2, long long batches, int batches_1

// A tile of C: its first row and column, and the two batch indices of its product. Batch dimension 1 is the inner one.
struct Tile {
    int row, column;
    long long batch_1, batch_2;
};

// How many tiles all products have together.
__device__ __forceinline__ long long tiles_of(int m, int n, long long batches)
{
    return static_cast<long long>((m + BLOCK_M - 1) / BLOCK_M) * ((n + BLOCK_N - 1) / BLOCK_N) * batches;
}

// Tiles in the order in which blocks take them: columns of bands that are 8 tiles high, so that the blocks at work at
// a time form a rectangle and share what they read of A and B in the L2.
__device__ __forceinline__ Tile tile_at(long long index, int m, int n, int batches_1)
{
    constexpr int BAND_HEIGHT = 8;
    long long down = (m + BLOCK_M - 1) / BLOCK_M, across = (n + BLOCK_N - 1) / BLOCK_N;
    long long product = index / (down * across), place = index % (down * across);
    long long band = place / (BAND_HEIGHT * across), inside = place % (BAND_HEIGHT * across);
    long long height = min(static_cast<long long>(BAND_HEIGHT), down - band * BAND_HEIGHT);
    return Tile{static_cast<int>((band * BAND_HEIGHT + inside % height) * BLOCK_M),
                static_cast<int>(inside / height * BLOCK_N), product % batches_1, product / batches_1};
}
