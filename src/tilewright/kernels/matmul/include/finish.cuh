// The epilogue where a warpgroup's sums lie: wgmma leaves a 64 x BLOCK_N tile as store.cuh says.
//
// A thread has pairs of neighbours in two rows. What the epilogue reads for some of its pairs is on its way together,
// in as few loads as it can be: a pair of the addend is one where its rows are contiguous and pairs lie on a boundary
// of both, and what bias has for a column serves both rows.
#pragma once

#include "include/epilogue.cuh"

#if EPILOGUE
// How many pairs of a row are loaded together; the error function needs the registers itself.
constexpr int PAIRS_AT_ONCE = ACTIVATION == 2 || BLOCK_N % 32 != 0 ? 1 : BLOCK_N % 64 != 0 ? 4 : 8;

template <typename T>
struct alignas(2 * sizeof(T)) PairOf {
    T first, second;
};

#ifdef ADDEND
// Ask for the addend's part in 64 rows and BLOCK_N columns, 128 bytes a thread at a time, where it has lines: loads
// that follow wait for memory once and not each by itself.
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
#endif

// Finish one thread's sums of 64 rows, `step` apart, and BLOCK_N columns that begin at (row, column), inside m x n.
__device__ __forceinline__ void finish(float (&sums)[BLOCK_N / 2], const Epilogue& epilogue, int row, int step,
                                       int column, int m, int n, int thread)
{
#ifdef ADDEND
    ask_for_addend(epilogue, row, step, column, m, n, thread);
#endif
    row += step * (thread / 32 * 16 + thread % 32 / 4);
    column += thread % 4 * 2;
    const int rows[2] = {row, row + 8 * step};
    PairOf<AddendElement> added[2][PAIRS_AT_ONCE] = {};
    PairOf<BiasElement> biased[2][PAIRS_AT_ONCE] = {};
#ifdef ADDEND
    typedef PairOf<AddendElement> Pair;
    const AddendElement* addends[2];
#pragma unroll
    for (int half = 0; half < 2; ++half)
        addends[half] =
            epilogue.addend + rows[half] * epilogue.addend_row_stride + column * epilogue.addend_column_stride;
    bool in_pairs = epilogue.addend_column_stride == 1 && epilogue.addend_row_stride % 2 == 0 &&
                    reinterpret_cast<unsigned long long>(epilogue.addend) % sizeof(Pair) == 0;
#endif
#ifdef BIAS
    bool is_along_rows = epilogue.bias_column_stride == 0;
    const BiasElement* biases = epilogue.bias + column * epilogue.bias_column_stride;
    if (is_along_rows)
#pragma unroll
        for (int half = 0; half < 2; ++half)
            if (rows[half] < m) {
                BiasElement of_row = epilogue.bias[rows[half] * epilogue.bias_row_stride];
#pragma unroll
                for (int pair = 0; pair < PAIRS_AT_ONCE; ++pair)
                    biased[half][pair].first = biased[half][pair].second = of_row;
            }
#endif
#pragma unroll
    for (int first = 0; first < BLOCK_N / 8; first += PAIRS_AT_ONCE) {
#pragma unroll
        for (int pair = 0; pair < PAIRS_AT_ONCE; ++pair) {
            int at = 8 * (first + pair), inside = n - column - at;
#ifdef BIAS
            if (!is_along_rows) {
                if (inside >= 1)
                    biased[0][pair].first = biases[at];
                if (inside >= 2)
                    biased[0][pair].second = biases[at + 1];
                biased[1][pair] = biased[0][pair];
            }
#endif
#ifdef ADDEND
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                if (in_pairs && inside >= 2 && rows[half] < m) {
                    added[half][pair] = *reinterpret_cast<const Pair*>(addends[half] + at);
                } else {
                    if (inside >= 1 && rows[half] < m)
                        added[half][pair].first = addends[half][at * epilogue.addend_column_stride];
                    if (inside >= 2 && rows[half] < m)
                        added[half][pair].second = addends[half][(at + 1) * epilogue.addend_column_stride];
                }
            }
#endif
        }
#pragma unroll
        for (int pair = 0; pair < PAIRS_AT_ONCE; ++pair)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                float* pair_of_sums = sums + 4 * (first + pair) + 2 * half;
                const PairOf<AddendElement>& plus = added[half][pair];
                const PairOf<BiasElement>& bias = biased[half][pair];
                pair_of_sums[0] = epilogue.finished(pair_of_sums[0], as_float(plus.first), as_float(bias.first));
                pair_of_sums[1] = epilogue.finished(pair_of_sums[1], as_float(plus.second), as_float(bias.second));
            }
    }
}
#endif
