// Results side by side from the registers to C, 16 bytes at once where STORE says that rows begin on 16 bytes.
//
// Macros: OUTPUT; STORE: BY_VECTORS (the columns of C are contiguous, and each row begins on 16 bytes), BY_ROWS (the
// columns are contiguous: store_rows.cuh), BY_BOXES (the copy engine stores: store_boxes.cuh) or BY_ELEMENTS (any
// strides).
#pragma once

#include "device/epilogue/epilogue.cuh"

#define BY_ELEMENTS 0
#define BY_VECTORS 1
#define BY_ROWS 2
#define BY_BOXES 3

#ifndef STORE
#define STORE BY_ELEMENTS
#endif

constexpr int RESULTS = 16 / static_cast<int>(sizeof(OUTPUT)); // that are stored at once

struct alignas(16) SomeResults {
    OUTPUT at[RESULTS];
};

// Finish and store the sums of a row of C, m x n, from a column on. `c` is the first element of its matrix.
__device__ __forceinline__ void store_some(OUTPUT* c, const Strides& strides, const Epilogue& epilogue,
                                           const Sum* sums, int row, int column, int m, int n)
{
    if (row >= m)
        return;
    OUTPUT* to = c + row * strides.row + column * strides.column;
    if (STORE == BY_VECTORS && column + RESULTS <= n) {
        SomeResults results;
#pragma unroll
        for (int i = 0; i < RESULTS; ++i)
            round_into(results.at[i], epilogue(sums[i], row, column + i));
        *reinterpret_cast<SomeResults*>(to) = results;
        return;
    }
#pragma unroll
    for (int i = 0; i < RESULTS; ++i)
        if (column + i < n)
            round_into(to[i * strides.column], epilogue(sums[i], row, column + i));
}
