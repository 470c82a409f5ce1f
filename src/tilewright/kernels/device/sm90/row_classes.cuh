// A with rows of any size, without a copy: tiles made of every eighth row.
//
// The copy engine reads only from multiples of 16 bytes. Rows of an odd number of 16-bit elements all begin off them,
// each by another shift; but every eighth row has the same one. So a tile of A takes rows i, i + 8, i + 16, ... : a
// matrix whose rows are 8 rows apart, a multiple of 16 bytes, and which begins `shift` elements after a boundary. The
// engine loads it from the boundary. Then its column 0 is k = -shift, and B is loaded from row -shift on, too: the
// rows that B does not have arrive as 0, and the same products are added. What A has there, the end of the row before,
// may be NaN or infinite and is overwritten with 0 first. C's rows, eight apart as well, are stored by threads.
#pragma once

#include "device/mma/wgmma_operands.cuh"
#include "device/sm90/tma.cuh"

constexpr int ROW_CLASSES = 8; // the rows, of 16-bit elements, until one begins on a boundary as the first does
constexpr int ROW_STEP = A_ROW_CLASSES ? ROW_CLASSES : 1;

#if A_ROW_CLASSES
// How far row `row` begins past a boundary, in elements; row 1 does by `shift_of_row_1`.
__device__ __forceinline__ int shift_of_row(int row, int shift_of_row_1)
{
    return row * shift_of_row_1 & ROW_CLASSES - 1;
}

// Overwrite the first `shift` elements of a warpgroup's `rows` rows of A, which are those of other rows.
__device__ __forceinline__ void clear_before_rows(unsigned a, int rows, int shift, int thread)
{
    for (int row = thread; row < rows; row += WARPGROUP_THREADS) {
        unsigned vector = a + row * SWIZZLE_BYTES + (row & SWIZZLE_ROWS - 1) * VECTOR_BYTES;
        for (int i = 0; i < shift; ++i)
            asm volatile("{\n.reg .b16 zero;\nmov.b16 zero, 0;\nst.shared.b16 [%0], zero;\n}" ::"r"(vector + 2 * i)
                         : "memory");
    }
    fence_shared_writes();
}
#endif
