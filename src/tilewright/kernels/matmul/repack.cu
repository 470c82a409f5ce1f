// Repack matrices with unaligned rows into rows that are aligned to 16 bytes, so that TMA can address them.
//
// Shapes: one or two matrices (A and B of one product) of `rows` x `inner` 16-bit elements, in batches; any strides,
//   also 0 and negative, any base. Each becomes dense rows of `to_row_stride` elements, a multiple of 8, in the
//   workspace; what follows `inner` in a row is never read. `inner` is the dimension that is contiguous, if one is.
// The idea: rows of an odd size are unaligned, and two-byte loads would use a fraction of the bandwidth. So a
//   thread makes one 16-byte vector at a time: it loads the one or two aligned vectors that hold its eight elements
//   and shifts them into place in registers. The neighbour's second load hits the L1 cache.
// Seeds:  000 asks what happens when tiles exceed matrix boundaries, and this is a part of the answer.
// New:    no arithmetic: a copy at memory bandwidth, so that the product runs at full rate.
// Next:   wgmma.cu multiplies the repacked matrices.
// Launch: 256 threads a block; matrix i takes blocks_i = batches * parts * ceil(rows / (ROWS_AT_ONCE * (256 >>
//   lanes_log2))) blocks, the second matrix after the first; 2^lanes_log2 threads share one of the parts of a row.
//
// Macros: ELEMENT (any type of 16 bits). ROWS_AT_ONCE rows per thread are in flight together.
// Parameters: for each of the two matrices: from, to, and Matrix, whose `blocks` are 0 where there is no such matrix.
//   The batches are counted as batch_2 * batches_1 + batch_1, and lie densely in `to`.

#include "device/memory/any_vector.cuh"
#include "device/memory/operand.cuh"

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef ROWS_AT_ONCE
#define ROWS_AT_ONCE 4
#endif

constexpr int THREADS = 256;

// What the host passes of a matrix, by value: as a __grid_constant__ it takes 90 registers instead of 78. Strides count
// elements of what is copied.
struct Matrix {
    int rows, inner;
    long long row_stride, inner_stride;
    int to_row_stride, batches_1;
    long long batch_stride_1, batch_stride_2;
    int lanes_log2, parts, blocks;
};

__device__ __forceinline__ void repack(const ELEMENT* from, ELEMENT* to, const Matrix& matrix, int block)
{
    int lanes = 1 << matrix.lanes_log2;
    int lane = threadIdx.x & (lanes - 1);
    int rows_of_block = THREADS >> matrix.lanes_log2;
    int groups = (matrix.rows + ROWS_AT_ONCE * rows_of_block - 1) / (ROWS_AT_ONCE * rows_of_block);
    int batch = block / (groups * matrix.parts), place = block % (groups * matrix.parts);
    int first_row = place / matrix.parts * ROWS_AT_ONCE * rows_of_block + (threadIdx.x >> matrix.lanes_log2);

    from += batch % matrix.batches_1 * matrix.batch_stride_1 + batch / matrix.batches_1 * matrix.batch_stride_2;
    to += static_cast<long long>(batch) * matrix.rows * matrix.to_row_stride;
    int vectors_of_row = (matrix.inner + 7) / 8, of_part = (vectors_of_row + matrix.parts - 1) / matrix.parts;
    int first_vector = place % matrix.parts * of_part, last_vector = min(first_vector + of_part, vectors_of_row);

    if (matrix.inner_stride == 1) {
        long long last_row = (matrix.rows - 1) * matrix.row_stride;
        const ELEMENT* begin = from + min(0ll, last_row);
        const ELEMENT* end = from + max(0ll, last_row) + matrix.inner;
        for (int vector = first_vector + lane; vector < last_vector; vector += lanes) {
            VectorPair pairs[ROWS_AT_ONCE];
#pragma unroll
            for (int i = 0; i < ROWS_AT_ONCE; ++i) {
                int row = first_row + i * rows_of_block;
                if (row < matrix.rows)
                    pairs[i] = load_pair(from + row * matrix.row_stride + vector * 8, matrix.inner - vector * 8, begin,
                                         end);
            }
#pragma unroll
            for (int i = 0; i < ROWS_AT_ONCE; ++i) {
                int row = first_row + i * rows_of_block;
                if (row < matrix.rows)
                    reinterpret_cast<uint4*>(to + static_cast<long long>(row) * matrix.to_row_stride)[vector] =
                        vector_of(pairs[i], from + row * matrix.row_stride);
            }
        }
        return;
    }
    // No dimension is contiguous: element by element.
    for (int i = 0; i < ROWS_AT_ONCE; ++i) {
        int row = first_row + i * rows_of_block;
        if (row < matrix.rows)
            for (int k = first_vector * 8 + lane; k < min(last_vector * 8, matrix.inner); k += lanes)
                to[static_cast<long long>(row) * matrix.to_row_stride + k] =
                    from[row * matrix.row_stride + k * matrix.inner_stride];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_repack(const ELEMENT* from_1, ELEMENT* to_1, const Matrix matrix_1, const ELEMENT* from_2, ELEMENT* to_2,
                  const Matrix matrix_2)
{
    wait_for_previous_kernel();
    int block = blockIdx.x;
    if (block < matrix_1.blocks)
        repack(from_1, to_1, matrix_1, block);
    else
        repack(from_2, to_2, matrix_2, block - matrix_1.blocks);
}
