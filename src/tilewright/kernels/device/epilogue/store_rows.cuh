// Sums of 32 or 64 bits from the registers to C, row by row through shared memory, where no vectors can be stored.
//
// Straight from the registers a thread stores neighbours one after another, each into a sector that the store of the
// next one touches again. Through shared memory a warp stores neighbours at once: each sector is touched once.
// Eight threads write 16 bytes each into two rows, four of them into each. PADDING lets these two begin half of the
// banks apart, so that no bank is met twice.
#pragma once

#include "device/epilogue/epilogue.cuh"

// The COLUMNS results of 16 rows, which a warp stages and stores.
template <int COLUMNS, int PADDING> struct StagedRows {
    static constexpr int ROWS = 16, PITCH = COLUMNS + PADDING, ELEMENTS = ROWS * PITCH;
    // A warp stores a row's neighbours, of narrow rows several at once.
    static constexpr int WIDTH = COLUMNS < 32 ? COLUMNS : 32, AT_ONCE = 32 / WIDTH;
    static_assert(COLUMNS % WIDTH == 0 && 32 % WIDTH == 0, "lanes make up rows");

    // Finish and store what the warp has staged, from (row, column) of a C of m x n on. `c` is its matrix's first
    // element; the columns of C are contiguous.
    __device__ __forceinline__ static void store(OUTPUT* c, const Strides& strides, const Epilogue& epilogue,
                                                 const Sum* staged, int row, int column, int m, int n)
    {
        __syncwarp();
        const int first_row = static_cast<int>(threadIdx.x) % 32 / WIDTH, x = threadIdx.x % WIDTH;
        const Sum* from = staged + first_row * PITCH + x;
        OUTPUT* to = c + (row + first_row) * strides.row + column + x;
#pragma unroll 4
        for (int y = 0; y < ROWS; y += AT_ONCE, to += AT_ONCE * strides.row)
#pragma unroll
            for (int s = 0; s < COLUMNS; s += WIDTH)
                if (row + first_row + y < m && column + x + s < n)
                    round_into(to[s], epilogue(from[y * PITCH + s], row + first_row + y, column + x + s));
        __syncwarp();
    }
};
