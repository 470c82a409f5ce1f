// The epilogue where a warpgroup's sums lie: wgmma leaves a 64 x BLOCK_N tile as store.cuh says.
//
// A thread has pairs of neighbours in two rows. What the epilogue needs for some of its pairs comes together: addends
// from the stages where ADDEND_STAGED is 1, else from where they lie; bias from the registers of the warp.
#pragma once

#include "include/addend_in_memory.cuh"
#include "include/addend_in_stages.cuh"
#include "include/bias_in_warp.cuh"

#if EPILOGUE
// Ask for what will be read where it lies, for a consumer's sums that begin at (row, column), rows `step` apart.
__device__ __forceinline__ void ask_for_epilogue(const Epilogue& epilogue, int row, int step, int column, int m, int n,
                                                 int thread)
{
#if defined(ADDEND) && !ADDEND_STAGED
#pragma unroll
    for (int i = 0; i < M_TILES; ++i)
        ask_for_addend(epilogue, row + step * i * 64, step, column, m, n, thread);
#endif
}

// Finish one thread's sums of the `m_tile`th 64 rows, `step` apart, and of BLOCK_N columns that begin at (row, column),
// inside m x n. `staged` is the addend in the stages, if it is there.
template <typename Staged>
__device__ __forceinline__ void finish(float (&sums)[BLOCK_N / 2], const Epilogue& epilogue, const BiasInWarp& bias,
                                       Staged& staged, int m_tile, int row, int step, int column, int m, int n,
                                       int thread)
{
    PairsOf<AddendElement> added = {};
    PairsOf<BiasElement> biased = {};
#if defined(ADDEND) && !ADDEND_STAGED
    const AddendInMemory addend(epilogue, row, step, column, m, n, thread);
#endif
#pragma unroll
    for (int first = 0; first < BLOCK_N / 8; first += PAIRS_AT_ONCE) {
        bias.load(biased, m_tile, first);
#if ADDEND_STAGED
        staged.load(added, m_tile, first);
#elif defined(ADDEND)
        addend.load(added, first);
#endif
#pragma unroll
        for (int pair = 0; pair < PAIRS_AT_ONCE; ++pair)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                float* pair_of_sums = sums + 4 * (first + pair) + 2 * half;
                const PairOf<AddendElement>& plus = added.at[half][pair];
                const PairOf<BiasElement>& more = biased.at[half][pair];
                pair_of_sums[0] = epilogue.finished(pair_of_sums[0], as_float(plus.first), as_float(more.first));
                pair_of_sums[1] = epilogue.finished(pair_of_sums[1], as_float(plus.second), as_float(more.second));
            }
    }
}
#endif
