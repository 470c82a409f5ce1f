// The sums of squares of 2 x 2 results, straight from the registers to C: the epilogue of a reduced product.
//
// (A[2i] + A[2i+1]) (B[2j] + B[2j+1]) is the sum of four results of A B. A thread has two neighbours of a row, and the
// thread four lanes further those of the next row. So nothing is added before the product, and nothing after it.
// Seeds:  003 (section 4.3: C[i, j] is the sum over a square).
#pragma once

#include "device/epilogue/epilogue.cuh"
#include "device/sm90/tile.cuh"

// The 64 x BLOCK_N results of a warpgroup that begin at (row, column), of m x n in all; C has half of both.
__device__ __forceinline__ void store_squares(OUTPUT* c, long long stride, const float (&sums)[BLOCK_N / 2],
                                              const Epilogue& epilogue, int row, int column, int m, int n, int thread)
{
    const int lane = thread % 32, of_row = thread / 32 * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < BLOCK_N / 4; ++i) {
        float sum = sums[2 * i] + sums[2 * i + 1];
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, 4);
        int r = (row + of_row + i % 2 * 8) / 2, s = (column + i / 2 * 8 + lane % 4 * 2) / 2;
        if (lane / 4 % 2 == 0 && 2 * r < m && 2 * s < n)
            round_into(c[C_BY_COLUMNS ? s * stride + r : r * stride + s], epilogue(sum, r, s));
    }
}
