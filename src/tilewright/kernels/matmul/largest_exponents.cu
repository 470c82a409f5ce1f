// The largest exponent in each row of A and column of B, chunk by chunk of k: by it split_float32.cu scales (fp16x3).
//
// Shapes: one or two float32 matrices (A and B of one product) in batches, any strides, any base; `largest` has a byte
//   for each chunk of k (exponent_chunk of split_flags.cuh) and each row of A (column of B).
// The idea: a power of two that fits the largest number of a row costs no bit, and needs only the exponents: the 8 bits
//   behind the sign. A block reads 64 rows of A by a chunk of k and reduces them in shared memory.
// Seeds:  003 and 004 (threads reduce together).
// New:    the maximum of integers is the same in any order, so atomics may come as they like.
// Next:   split_float32.cu takes the largest over all of k and splits.
// Launch: THREADS threads; a block for each 64 of mn and chunk of k of each matrix, the second after the first.

#include "device/memory/float32_matrix.cuh"
#include "device/memory/operand.cuh"
#include "device/memory/split_flags.cuh"

__device__ __forceinline__ int exponent_of(float x)
{
    constexpr int EXPONENT_BIT = 23, EXPONENT_MASK = 0xFF;
    return __float_as_int(x) >> EXPONENT_BIT & EXPONENT_MASK;
}

// Those that a thread finds of a block's part: of four rows where the inner dimension is k, else of four columns.
template <Loading LOADING, int INNER_IS_K>
__device__ __forceinline__ void find_own(int (&found)[NEIGHBOURS], const float* from, const Matrix& matrix,
                                         int first_mn, int first_k, int end_k, int row, int column)
{
#pragma unroll 4
    for (int k = first_k; k < end_k; k += REGION)
#pragma unroll
        for (int i = 0; i < ROWS_AT_ONCE; ++i) {
            int r = row + i * ROW_STEP;
            Four four = load_four<LOADING>(from, matrix, INNER_IS_K ? first_mn + r : k + r,
                                           INNER_IS_K ? k + column : first_mn + column);
#pragma unroll
            for (int j = 0; j < NEIGHBOURS; ++j) {
                int& most_here = found[INNER_IS_K ? i : j];
                most_here = max(most_here, exponent_of(four.at[j]));
            }
        }
}

template <int INNER_IS_K>
__device__ __forceinline__ void find_largest(const float* from, unsigned char* largest, const Matrix& matrix, int block)
{
    __shared__ int most[REGION];
    int in_chunk = exponent_chunk(matrix.mn(), matrix.k()), chunks = (matrix.k() + in_chunk - 1) / in_chunk;
    int down = (matrix.mn() + REGION - 1) / REGION;
    int batch = block / (chunks * down), place = block % (chunks * down);
    int first_mn = place / chunks * REGION, chunk = place % chunks;
    if (threadIdx.x < REGION)
        most[threadIdx.x] = 0;
    __syncthreads();

    from = matrix_of_batch(from, matrix, batch);
    int row = threadIdx.x / (REGION / NEIGHBOURS), column = threadIdx.x % (REGION / NEIGHBOURS) * NEIGHBOURS;
    int first_k = chunk * in_chunk, end_k = min(matrix.k(), first_k + in_chunk);
    Loading how = INNER_IS_K ? loading_of(matrix, first_mn, first_k, REGION, in_chunk)
                             : loading_of(matrix, first_k, first_mn, in_chunk, REGION);
    int found[NEIGHBOURS] = {};
    if (how == VECTORS)
        find_own<VECTORS, INNER_IS_K>(found, from, matrix, first_mn, first_k, end_k, row, column);
    else if (how == ELEMENTS)
        find_own<ELEMENTS, INNER_IS_K>(found, from, matrix, first_mn, first_k, end_k, row, column);
    else
        find_own<GUARDED, INNER_IS_K>(found, from, matrix, first_mn, first_k, end_k, row, column);
    // Threads of a row are 16 neighbours in a warp; those of a column are 16 apart.
#pragma unroll
    for (int i = 0; i < NEIGHBOURS; ++i) {
        int of_lanes = found[i];
        for (int apart = INNER_IS_K ? 8 : 16; apart > (INNER_IS_K ? 0 : 8); apart /= 2)
            of_lanes = max(of_lanes, __shfl_xor_sync(0xFFFFFFFF, of_lanes, apart));
        if (INNER_IS_K ? threadIdx.x % 16 == 0 : threadIdx.x % 32 < 16)
            atomicMax(&most[INNER_IS_K ? row + i * ROW_STEP : column + i], of_lanes);
    }
    __syncthreads();
    int mn = first_mn + threadIdx.x;
    if (threadIdx.x < REGION && mn < matrix.mn())
        largest[(static_cast<long long>(batch) * chunks + chunk) * matrix.mn() + mn] =
            static_cast<unsigned char>(most[threadIdx.x]);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_largest_exponents(const float* from_1, unsigned char* largest_1, const __grid_constant__ Matrix matrix_1,
                             const float* from_2, unsigned char* largest_2, const __grid_constant__ Matrix matrix_2)
{
    wait_for_previous_kernel();
    bool is_first = blockIdx.x < matrix_1.blocks;
    const Matrix& matrix = is_first ? matrix_1 : matrix_2;
    int block = is_first ? blockIdx.x : blockIdx.x - matrix_1.blocks;
    if (matrix.inner_is_k)
        find_largest<1>(is_first ? from_1 : from_2, is_first ? largest_1 : largest_2, matrix, block);
    else
        find_largest<0>(is_first ? from_1 : from_2, is_first ? largest_1 : largest_2, matrix, block);
}
