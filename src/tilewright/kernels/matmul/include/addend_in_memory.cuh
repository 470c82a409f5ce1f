// The addend where it lies, read by the threads that need it: for one that the copy engine cannot address.
//
// A tile's part of it is asked for first, all lines at once, so that the loads that follow wait for memory once and not
// each by itself. A pair is one load where a whole tile is inside, its rows are contiguous and pairs lie on a boundary
// of both; else an element is.
#pragma once

#include "include/pairs.cuh"

#ifdef ADDEND
// Ask for the addend's part in 64 rows and BLOCK_N columns, 128 bytes a thread at a time, where it has lines.
__device__ __forceinline__ void ask_for_addend(const Epilogue& epilogue, int row, int step, int column, int m, int n,
                                               int thread)
{
    const int line = 128 / static_cast<int>(sizeof(AddendElement));
    bool by_rows = epilogue.addend_column_stride == 1;
    if (!by_rows && epilogue.addend_row_stride != 1)
        return;
    int lines_of_row = by_rows ? (BLOCK_N + line - 1) / line : 1, rows = by_rows ? 64 : (64 + line - 1) / line;
    int lines = by_rows ? rows * lines_of_row : rows * BLOCK_N;
    for (int i = thread; i < lines; i += 128) {
        int r = row + step * (by_rows ? i / lines_of_row : i / BLOCK_N * line);
        int s = column + (by_rows ? i % lines_of_row * line : i % BLOCK_N);
        if (r < m && s < n)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(epilogue.addend + r * epilogue.addend_row_stride +
                                                         s * epilogue.addend_column_stride));
    }
}

// What a thread reads for its sums of 64 rows, `step` apart, and BLOCK_N columns, inside m x n.
struct AddendInMemory {
    const AddendElement* rows[2];
    long long column_stride;
    bool row_is_inside[2];
    bool in_pairs; // all of them, and all inside
    int columns_inside; // from this thread's first column on

    __device__ __forceinline__ AddendInMemory(const Epilogue& epilogue, int row, int step, int column, int m, int n,
                                              int thread)
        : column_stride(epilogue.addend_column_stride)
    {
        in_pairs = column_stride == 1 && epilogue.addend_row_stride % 2 == 0 &&
                   reinterpret_cast<unsigned long long>(epilogue.addend) % sizeof(PairOf<AddendElement>) == 0 &&
                   row + step * 63 < m && column + BLOCK_N <= n;
        row += step * (thread / 32 * 16 + thread % 32 / 4);
        column += thread % 4 * 2;
        columns_inside = n - column;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            int at = row + 8 * step * half;
            row_is_inside[half] = at < m;
            rows[half] = epilogue.addend + at * epilogue.addend_row_stride + column * column_stride;
        }
    }

    // The pairs from number `first` on.
    __device__ __forceinline__ void load(PairsOf<AddendElement>& added, int first) const
    {
        if (in_pairs) {
#pragma unroll
            for (int i = 0; i < 2 * PAIRS_AT_ONCE; ++i)
                added.at[i % 2][i / 2] =
                    *reinterpret_cast<const PairOf<AddendElement>*>(rows[i % 2] + 8 * (first + i / 2));
            return;
        }
#pragma unroll
        for (int i = 0; i < 2 * PAIRS_AT_ONCE; ++i) {
            int at = 8 * (first + i / 2), inside = row_is_inside[i % 2] ? columns_inside - at : 0;
            const AddendElement* from = rows[i % 2] + at * column_stride;
            if (inside >= 1)
                added.at[i % 2][i / 2].first = from[0];
            if (inside >= 2)
                added.at[i % 2][i / 2].second = from[column_stride];
        }
    }
};
#endif
