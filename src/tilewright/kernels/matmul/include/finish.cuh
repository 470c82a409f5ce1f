// The epilogue where a warpgroup's sums lie: wgmma leaves a 64 x BLOCK_N tile as store.cuh says.
//
// A thread has pairs of neighbours in two rows. What the epilogue reads for some of its pairs is on its way together, in
// as few loads as it can be: a pair of the addend is one where its rows are contiguous and pairs lie on a boundary of
// both, and what bias has for a column serves both rows.
#pragma once

#include "include/epilogue.cuh"

#if EPILOGUE
// How many pairs of a row are loaded together; the error function needs the registers itself.
constexpr int PAIRS_AT_ONCE = ACTIVATION == 2 || BLOCK_N % 32 != 0 ? 1 : 4;

template <typename T>
struct alignas(2 * sizeof(T)) PairOf {
    T first, second;
};

// Finish one thread's sums of 64 rows, `step` apart, and BLOCK_N columns that begin at (row, column), inside m x n.
__device__ __forceinline__ void finish(float (&sums)[BLOCK_N / 2], const Epilogue& epilogue, int row, int step,
                                       int column, int m, int n, int thread)
{
    row += step * (thread / 32 * 16 + thread % 32 / 4);
    column += thread % 4 * 2;
    const int rows[2] = {row, row + 8 * step};
    float2 added[2][PAIRS_AT_ONCE] = {}, biased[2][PAIRS_AT_ONCE] = {};
#ifdef ADDEND
    typedef PairOf<AddendElement> Pair;
    const AddendElement* addends[2];
#pragma unroll
    for (int half = 0; half < 2; ++half)
        addends[half] = epilogue.addend + rows[half] * epilogue.addend_row_stride + column * epilogue.addend_column_stride;
    bool in_pairs = epilogue.addend_column_stride == 1 && epilogue.addend_row_stride % 2 == 0 &&
                    reinterpret_cast<unsigned long long>(epilogue.addend) % sizeof(Pair) == 0;
#endif
#ifdef BIAS
    bool is_along_rows = epilogue.bias_column_stride == 0;
    const BiasElement* biases = epilogue.bias + column * epilogue.bias_column_stride;
    if (is_along_rows)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float of_row = rows[half] < m ? as_float(epilogue.bias[rows[half] * epilogue.bias_row_stride]) : 0.0f;
#pragma unroll
            for (int pair = 0; pair < PAIRS_AT_ONCE; ++pair)
                biased[half][pair] = make_float2(of_row, of_row);
        }
#endif
#pragma unroll
    for (int first = 0; first < BLOCK_N / 8; first += PAIRS_AT_ONCE) {
#pragma unroll
        for (int pair = 0; pair < PAIRS_AT_ONCE; ++pair) {
            int at = 8 * (first + pair), inside = n - column - at;
#ifdef BIAS
            if (!is_along_rows) {
                float2 of_columns = {};
                if (inside >= 1)
                    of_columns.x = as_float(biases[at]);
                if (inside >= 2)
                    of_columns.y = as_float(biases[at + 1]);
                biased[0][pair] = biased[1][pair] = of_columns;
            }
#endif
#ifdef ADDEND
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                if (in_pairs && inside >= 2 && rows[half] < m) {
                    Pair both = *reinterpret_cast<const Pair*>(addends[half] + at);
                    added[half][pair] = make_float2(as_float(both.first), as_float(both.second));
                } else {
                    if (inside >= 1 && rows[half] < m)
                        added[half][pair].x = as_float(addends[half][at * epilogue.addend_column_stride]);
                    if (inside >= 2 && rows[half] < m)
                        added[half][pair].y = as_float(addends[half][(at + 1) * epilogue.addend_column_stride]);
                }
            }
#endif
        }
#pragma unroll
        for (int pair = 0; pair < PAIRS_AT_ONCE; ++pair)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                float* pair_of_sums = sums + 4 * (first + pair) + 2 * half;
                pair_of_sums[0] = epilogue.finished(pair_of_sums[0], added[half][pair].x, biased[half][pair].x);
                pair_of_sums[1] = epilogue.finished(pair_of_sums[1], added[half][pair].y, biased[half][pair].y);
            }
    }
}
#endif
