// The epilogue where a warpgroup's sums lie: wgmma leaves a 64 x BLOCK_N tile as store.cuh says.
//
// A thread has pairs of neighbours in two rows. What the epilogue needs for some of its pairs comes together: elements
// of the C operand from the stages where C_OPERAND_STAGED is 1, else from memory; bias from the registers of the warp.
#pragma once

#include "device/epilogue/c_operand_in_stages.cuh"

// The C operand where it lies, read by the threads that need it: for one that the copy engine cannot address.
//
// A tile's part of it is asked for first, all lines at once, so that the loads that follow wait for memory once and not
// each by itself. A pair is one load where a whole tile is inside, its rows are contiguous and pairs lie on a boundary
// of both; else an element is.

#ifdef C_OPERAND
// Ask for the C operand's part in 64 rows and BLOCK_N columns, 128 bytes a thread at a time, where it has lines.
__device__ __forceinline__ void ask_for_c_operand(const Epilogue& epilogue, int row, int step, int column, int m, int n,
                                               int thread)
{
    constexpr int LINE = 128 / static_cast<int>(sizeof(COperandElement)); // of memory, 128 bytes
    bool by_rows = epilogue.scalars.c_operand.column == 1;
    if (!by_rows && epilogue.scalars.c_operand.row != 1)
        return;
    int lines_of_row = by_rows ? (BLOCK_N + LINE - 1) / LINE : 1;
    int rows = by_rows ? WARPGROUP_ROWS : (WARPGROUP_ROWS + LINE - 1) / LINE;
    int lines = by_rows ? rows * lines_of_row : rows * BLOCK_N;
    for (int i = thread; i < lines; i += WARPGROUP_THREADS) {
        int r = row + step * (by_rows ? i / lines_of_row : i / BLOCK_N * LINE);
        int s = column + (by_rows ? i % lines_of_row * LINE : i % BLOCK_N);
        if (r < m && s < n)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(epilogue.c_operand + r * epilogue.scalars.c_operand.row +
                                                         s * epilogue.scalars.c_operand.column));
    }
}

// What a thread reads for its sums of 64 rows, `step` apart, and BLOCK_N columns, inside m x n.
struct COperandInMemory {
    const COperandElement* rows[2];
    long long column_stride;
    bool row_is_inside[2];
    bool in_pairs; // all of them, and all inside
    int columns_inside; // from this thread's first column on

    __device__ __forceinline__ COperandInMemory(const Epilogue& epilogue, int row, int step, int column, int m, int n,
                                              int thread)
        : column_stride(epilogue.scalars.c_operand.column)
    {
        in_pairs = column_stride == 1 && epilogue.scalars.c_operand.row % 2 == 0 &&
                   reinterpret_cast<unsigned long long>(epilogue.c_operand) % sizeof(PairOf<COperandElement>) == 0 &&
                   row + step * (WARPGROUP_ROWS - 1) < m && column + BLOCK_N <= n;
        row += step * (thread / 32 * 16 + thread % 32 / 4);
        column += thread % 4 * 2;
        columns_inside = n - column;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            int at = row + 8 * step * half;
            row_is_inside[half] = at < m;
            rows[half] = epilogue.c_operand + at * epilogue.scalars.c_operand.row + column * column_stride;
        }
    }

    // The pairs from number `first` on.
    __device__ __forceinline__ void load(PairsOf<COperandElement>& added, int first) const
    {
        if (in_pairs) {
#pragma unroll
            for (int i = 0; i < 2 * PAIRS_AT_ONCE; ++i)
                added.at[i % 2][i / 2] =
                    *reinterpret_cast<const PairOf<COperandElement>*>(rows[i % 2] + 8 * (first + i / 2));
            return;
        }
#pragma unroll
        for (int i = 0; i < 2 * PAIRS_AT_ONCE; ++i) {
            int at = 8 * (first + i / 2), inside = row_is_inside[i % 2] ? columns_inside - at : 0;
            const COperandElement* from = rows[i % 2] + at * column_stride;
            if (inside >= 1)
                added.at[i % 2][i / 2].first = from[0];
            if (inside >= 2)
                added.at[i % 2][i / 2].second = from[column_stride];
        }
    }
};
#endif

// The bias in registers: read before a tile is multiplied, and handed round in each warp when its sums are done.
//
// Bias has an element for each column of C, and a thread has sums in BLOCK_N / 4 columns: too many for each to hold. A
// warp together needs BLOCK_N, two neighbours in each lane for every 64 columns, and lanes ask each other (shuffles).
// BIAS_ALONG_ROWS: the transposed product is computed, and bias has an element for each row: two in a thread for 64
// rows. Elements are read one by one: a bias may begin at any of them, and the loads of a warp are one line of memory.

#if EPILOGUE
// What a thread holds of the bias for its consumer's sums: they begin at (row, column) inside m x n, rows `step` apart.
struct BiasInWarp {
#if defined(BIAS) && BIAS_ALONG_ROWS
    BiasElement of_row[M_TILES][2] = {};

    __device__ __forceinline__ BiasInWarp(const Epilogue& epilogue, int row, int step, int column, int m, int n,
                                          int thread)
    {
#pragma unroll
        for (int i = 0; i < 2 * M_TILES; ++i) {
            int at = row + step * (i / 2 * WARPGROUP_ROWS + thread / 32 * 16 + thread % 32 / 4 + i % 2 * 8);
            if (at < m)
                of_row[i / 2][i % 2] = epilogue.bias[at];
        }
    }

    // The pairs from number `first` on, in the `m_tile`th 64 rows.
    __device__ __forceinline__ void load(PairsOf<BiasElement>& biased, int m_tile, int first) const
    {
#pragma unroll
        for (int i = 0; i < 2 * PAIRS_AT_ONCE; ++i)
            biased.at[i % 2][i / 2] = {of_row[m_tile][i % 2], of_row[m_tile][i % 2]};
    }
#elif defined(BIAS)
    static constexpr int WARP_COLUMNS = 64; // a pair in each lane
    static constexpr unsigned WHOLE_WARP = 0xFFFFFFFF; // takes part in a shuffle
    PairOf<BiasElement> held[(BLOCK_N + WARP_COLUMNS - 1) / WARP_COLUMNS] = {};

    __device__ __forceinline__ BiasInWarp(const Epilogue& epilogue, int row, int step, int column, int m, int n,
                                          int thread)
    {
#pragma unroll
        for (int i = 0; i < BLOCK_N; i += WARP_COLUMNS) {
            int at = i + thread % 32 * 2, inside = min(BLOCK_N, n - column);
            if (at < inside)
                held[i / WARP_COLUMNS].first = epilogue.bias[column + at];
            if (at + 1 < inside)
                held[i / WARP_COLUMNS].second = epilogue.bias[column + at + 1];
        }
    }

    // The pairs from number `first` on, which are those of every row.
    __device__ __forceinline__ void load(PairsOf<BiasElement>& biased, int m_tile, int first) const
    {
#pragma unroll
        for (int pair = 0; pair < PAIRS_AT_ONCE; ++pair) {
            int number = first + pair, lane = number % 8 * 4 + threadIdx.x % 4;
            PairOf<BiasElement> from = held[number / 8];
            unsigned words[sizeof(from) / 4];
#pragma unroll
            for (int i = 0; i < sizeof(from) / 4; ++i)
                words[i] = __shfl_sync(WHOLE_WARP, reinterpret_cast<const unsigned*>(&from)[i], lane);
            biased.at[0][pair] = biased.at[1][pair] = *reinterpret_cast<PairOf<BiasElement>*>(words);
        }
    }
#else
    __device__ __forceinline__ BiasInWarp(const Epilogue&, int, int, int, int, int, int) {}
    __device__ __forceinline__ void load(PairsOf<BiasElement>&, int, int) const {}
#endif
};
#endif

#if EPILOGUE
// Ask for what will be read where it lies, for a consumer's sums that begin at (row, column), rows `step` apart.
__device__ __forceinline__ void ask_for_epilogue(const Epilogue& epilogue, int row, int step, int column, int m, int n,
                                                 int thread)
{
#if defined(C_OPERAND) && !C_OPERAND_STAGED
#pragma unroll
    for (int i = 0; i < M_TILES; ++i)
        ask_for_c_operand(epilogue, row + step * i * WARPGROUP_ROWS, step, column, m, n, thread);
#endif
}

// Finish one thread's sums of the `m_tile`th 64 rows, `step` apart, and of BLOCK_N columns that begin at (row, column),
// inside m x n. `staged` is the C operand in the stages, if it is there.
template <typename Staged>
__device__ __forceinline__ void finish(float (&sums)[BLOCK_N / 2], const Epilogue& epilogue, const BiasInWarp& bias,
                                       Staged& staged, int m_tile, int row, int step, int column, int m, int n,
                                       int thread)
{
    PairsOf<COperandElement> added = {};
    PairsOf<BiasElement> biased = {};
#if defined(C_OPERAND) && !C_OPERAND_STAGED
    const COperandInMemory c_operand(epilogue, row, step, column, m, n, thread);
#endif
#pragma unroll
    for (int first = 0; first < BLOCK_N / 8; first += PAIRS_AT_ONCE) {
        bias.load(biased, m_tile, first);
#if C_OPERAND_STAGED
        staged.load(added, m_tile, first);
#elif defined(C_OPERAND)
        c_operand.load(added, first);
#endif
#pragma unroll
        for (int pair = 0; pair < PAIRS_AT_ONCE; ++pair)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                float* pair_of_sums = sums + 4 * (first + pair) + 2 * half;
                const PairOf<COperandElement>& plus = added.at[half][pair];
                const PairOf<BiasElement>& more = biased.at[half][pair];
                pair_of_sums[0] = epilogue.finished(pair_of_sums[0], as_sum(plus.first), as_sum(more.first));
                pair_of_sums[1] = epilogue.finished(pair_of_sums[1], as_sum(plus.second), as_sum(more.second));
            }
    }
}
#endif
