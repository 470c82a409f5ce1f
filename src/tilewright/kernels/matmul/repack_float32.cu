// Repack float32 matrices so that k is contiguous and rows begin on 16 bytes: as the tensor cores read tf32.
//
// Shapes: one or two matrices (A and B of one product) of `rows` x `inner` float32 elements, in batches; any strides,
//   any base. Each becomes dense rows of k, `to_row_stride` elements apart, a multiple of 4; what follows k in a row is
//   never read. `inner` is the dimension that is contiguous, if one is.
// The idea: wgmma takes operands of 16 bits in either order, and tf32 along k alone. So a B of rows along n, and an A
//   of columns along m, are transposed: a block turns 64 x 64 elements in shared memory, a thread 4 x 4 of them in its
//   registers, so that memory is read and written in vectors.
// Seeds:  000 (tiles and their guards).
// New:    a transposed tile without padding: vector v of line l is at place v XOR l / 4, where eight threads find eight
//         different banks, whether they write vectors of different lines or read vectors of one.
// Next:   wgmma.cu multiplies the repacked matrices; its loads round them to tf32.
// Launch: THREADS threads; a block for each 64 x 64 elements of each matrix, the second after the first.
//
// Macros: none.
// Parameters: for each of the two matrices: from, to, and Matrix, whose `blocks` are 0 where there is no such matrix.
//   The batches are counted as batch_2 * batches_1 + batch_1, and lie densely in `to`.

#include "device/memory/float32_matrix.cuh"
#include "device/memory/operand.cuh"

constexpr int VECTORS_OF_LINE = REGION / NEIGHBOURS;

__device__ __forceinline__ float4 as_vector(const Four& four)
{
    return make_float4(four.at[0], four.at[1], four.at[2], four.at[3]);
}

__device__ __forceinline__ int place_of(int line, int vector)
{
    return line * VECTORS_OF_LINE + (vector ^ line / NEIGHBOURS % 8);
}

__device__ __forceinline__ void repack(const float* from, float* to, const Matrix& matrix, int block)
{
    __shared__ float4 turned[REGION * VECTORS_OF_LINE];
    int across = (matrix.inner + REGION - 1) / REGION, down = (matrix.rows + REGION - 1) / REGION;
    int batch = block / (across * down), place = block % (across * down);
    int first_row = place / across * REGION, first_column = place % across * REGION;
    int line = threadIdx.x / VECTORS_OF_LINE, vector = threadIdx.x % VECTORS_OF_LINE;
    // Rows to be turned lie side by side in a thread.
    int row = first_row + (matrix.inner_is_k ? line : line * ROWS_AT_ONCE);
    int step = matrix.inner_is_k ? ROW_STEP : 1;

    from = matrix_of_batch(from, matrix, batch);
    to += static_cast<long long>(batch) * matrix.mn() * matrix.to_row_stride;
    Four fours[ROWS_AT_ONCE];
    load_rows(loading_of(matrix, first_row, first_column, REGION, REGION), fours, from, matrix, row, step,
              first_column + vector * NEIGHBOURS);

    int first_mn = matrix.inner_is_k ? first_row : first_column;
    int k = (matrix.inner_is_k ? first_column : first_row) + vector * NEIGHBOURS;
    if (!matrix.inner_is_k) {
#pragma unroll
        for (int j = 0; j < NEIGHBOURS; ++j)
            turned[place_of(vector * NEIGHBOURS + j, line)] =
                make_float4(fours[0].at[j], fours[1].at[j], fours[2].at[j], fours[3].at[j]);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS_AT_ONCE; ++i) {
        int mn = line + i * ROW_STEP;
        float4 found = matrix.inner_is_k ? as_vector(fours[i]) : turned[place_of(mn, vector)];
        if (first_mn + mn < matrix.mn() && k < matrix.k())
            *reinterpret_cast<float4*>(to + static_cast<long long>(first_mn + mn) * matrix.to_row_stride + k) = found;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_repack_float32(const float* from_1, float* to_1, const __grid_constant__ Matrix matrix_1,
                          const float* from_2, float* to_2, const __grid_constant__ Matrix matrix_2)
{
    wait_for_previous_kernel();
    int block = blockIdx.x;
    if (block < matrix_1.blocks)
        repack(from_1, to_1, matrix_1, block);
    else
        repack(from_2, to_2, matrix_2, block - matrix_1.blocks);
}
