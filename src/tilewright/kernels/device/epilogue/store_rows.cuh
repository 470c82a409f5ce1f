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

    // Finish and store what the warp has staged, from (row, column) of a C of m x n on. `c` is its matrix's first
    // element; the columns of C are contiguous.
    __device__ __forceinline__ static void store(OUTPUT* c, const Strides& strides, const Epilogue& epilogue,
                                                 const Sum* staged, int row, int column, int m, int n)
    {
        __syncwarp();
#pragma unroll 8
        for (int i = threadIdx.x % 32; i < ROWS * COLUMNS; i += 32) {
            int r = row + i / COLUMNS, s = column + i % COLUMNS;
            if (r < m && s < n)
                round_into(c[r * strides.row + s], epilogue(staged[i / COLUMNS * PITCH + i % COLUMNS], r, s));
        }
        __syncwarp();
    }
};
