// The epilogue where a warpgroup's sums lie: wgmma leaves a 64 x BLOCK_N tile as store.cuh says.
#pragma once

#include "include/epilogue.cuh"

#if EPILOGUE
// Finish one thread's sums of 64 rows, `step` apart, and BLOCK_N columns that begin at (row, column), inside m x n.
__device__ __forceinline__ void finish(float (&sums)[BLOCK_N / 2], const Epilogue& epilogue, int row, int step,
                                       int column, int m, int n, int thread)
{
    row += step * (thread / 32 * 16 + thread % 32 / 4);
    column += thread % 4 * 2;
#pragma unroll
    for (int i = 0; i < BLOCK_N / 2; ++i) {
        int r = row + step * (i / 2 % 2 * 8), s = column + i / 4 * 8 + i % 2;
        if (r < m && s < n)
            sums[i] = epilogue(sums[i], r, s);
    }
}
#endif
