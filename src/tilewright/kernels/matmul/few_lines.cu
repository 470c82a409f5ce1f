// Products of float32 or float64 with a few rows: B is read once, at the speed of memory, wherever its rows begin.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), m up to THREAD_M, any n and k from 1 up; rows or columns of B are
//         contiguous, any strides of A and C, up to two batch extents. (Few columns are the transposed product.)
// The idea: each number of B is used m times, so a tile in shared memory gains nothing. Neighbouring threads load
//         neighbouring numbers, one each, so that no load needs an alignment, and each thread has many on their way.
// Launch: WARPS warps. B_K_MAJOR 0: a block has 32 x THREAD_N columns, and its warps share k. 1: a warp has THREAD_N
//         columns, and its lanes share k. blockIdx.y is the part of k, blockIdx.z the place in the batch.
// Seeds:  000 (guards), 004 (a sum for each thread, then one for all of them).
// New:    A's numbers are the same for a whole warp, or for all of its columns: the L1 cache brings them.
// Next:   cuda_cores_float32.cu and mma_sync_float64.cu, where there are enough rows to use each number of B often.
//
// Macros: those of epilogue.cuh, of which SUM, ELEMENT and OUTPUT are float or double; THREAD_M, THREAD_N (rows and
// columns of a thread), WARPS, UNROLL (of k, whose loads a thread has on their way together); B_K_MAJOR.

#ifndef ELEMENT
#define ELEMENT float
#endif
#define OUTPUT ELEMENT
#define SUM ELEMENT
#define EXACT_ACTIVATION 1
#include "device/epilogue/epilogue.cuh"

#ifndef THREAD_M
#define THREAD_M 1
#define THREAD_N 4
#define WARPS 8
#define UNROLL 4
#define B_K_MAJOR 0
#endif
#include "device/memory/layer.cuh"

constexpr int THREADS = 32 * WARPS;

// The sums of a thread: of each row of A, for each of its columns.
struct Sums {
    ELEMENT of[THREAD_M][THREAD_N] = {};

    // Add the products of numbers of A and B with the same k.
    __device__ __forceinline__ void add(const ELEMENT (&a)[THREAD_M], const ELEMENT (&b)[THREAD_N])
    {
#pragma unroll
        for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
            for (int j = 0; j < THREAD_N; ++j)
                of[i][j] = fma(a[i], b[j], of[i][j]);
    }
};

// One number of each row of A, and 0 for rows that A has not.
__device__ __forceinline__ void load_rows(ELEMENT (&a)[THREAD_M], const ELEMENT* at, long long row_stride, int rows)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i)
        a[i] = i < rows ? __ldg(at + i * row_stride) : ELEMENT{};
}

// One number of each of a thread's columns, `step` apart, and 0 for columns that B has not.
__device__ __forceinline__ void load_columns(ELEMENT (&b)[THREAD_N], const ELEMENT* at, long long step, int columns)
{
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j)
        b[j] = j < columns ? __ldg(at + j * step) : ELEMENT{};
}

// Multiply A and B from `at_a` and `at_b` on, where k is `first`, and every `step` further until `end`.
__device__ __forceinline__ void multiply(Sums& sums, const ELEMENT* at_a, const ELEMENT* at_b,
                                         const SplitProduct& product, long long column_step, int columns, int first,
                                         int end, int step)
{
    const int rows = product.m;
    const long long a_step = step * product.a.column, b_step = step * product.b.row;
    int k = first;
    // As many loads as may be are on their way before the first is waited for.
    for (; k + (UNROLL - 1) * step < end; k += UNROLL * step) {
        ELEMENT a[UNROLL][THREAD_M], b[UNROLL][THREAD_N];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            load_columns(b[u], at_b + u * b_step, column_step, columns);
            load_rows(a[u], at_a + u * a_step, product.a.row, rows);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            sums.add(a[u], b[u]);
        at_a += UNROLL * a_step, at_b += UNROLL * b_step;
    }
    for (; k < end; k += step) {
        ELEMENT a[THREAD_M], b[THREAD_N];
        load_columns(b, at_b, column_step, columns);
        load_rows(a, at_a, product.a.row, rows);
        sums.add(a, b);
        at_a += a_step, at_b += b_step;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_few_lines(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, const COperandElement* c_operand,
                     const BiasElement* bias, const __grid_constant__ SplitProduct product,
                     const __grid_constant__ EpilogueScalars scalars)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int begin = blockIdx.y * product.k_per_split, end = min(product.k, begin + product.k_per_split);
    const long long batch_2 = blockIdx.z / product.batches_1, batch_1 = blockIdx.z - batch_2 * product.batches_1;
    // Lanes lie along what is contiguous in B.
    const int column = B_K_MAJOR ? (blockIdx.x * WARPS + warp) * THREAD_N : blockIdx.x * 32 * THREAD_N + lane;
    constexpr int STEP_N = B_K_MAJOR ? 1 : 32;
    const int columns = (product.n - column + STEP_N - 1) / STEP_N;
    const int first = begin + (B_K_MAJOR ? lane : warp), step = B_K_MAJOR ? 32 : WARPS;

    wait_for_previous_kernel();
    const ELEMENT* a = matrix_at(A, product.a, batch_1, batch_2) + first * product.a.column;
    const ELEMENT* b = matrix_at(B, product.b, batch_1, batch_2) + first * product.b.row + column * product.b.column;
    Sums sums;
    multiply(sums, a, b, product, STEP_N * product.b.column, columns, first, end, step);

    Epilogue epilogue{c_operand, bias, scalars};
    epilogue.enter_batch(batch_1, batch_2);
    OUTPUT* c = matrix_at(C, product.c, batch_1, batch_2) + blockIdx.y * product.split_stride;
#if B_K_MAJOR
    // Add up over the lanes, in a fixed order; then each lane has the sums, and stores one of them.
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
        for (int j = 0; j < THREAD_N; ++j) {
            ELEMENT sum = sums.of[i][j];
#pragma unroll
            for (int distance = 1; distance < 32; distance *= 2)
                sum += __shfl_xor_sync(0xFFFFFFFF, sum, distance);
            if (lane == (i * THREAD_N + j) % 32 && i < product.m && j < columns)
                round_into(c[i * product.c.row + (column + j) * product.c.column], epilogue(sum, i, column + j));
        }
#else
    // Add up over the warps, in a fixed order: warp w does so for the sums w, w + WARPS and so on of all lanes.
    __shared__ ELEMENT of_warps[WARPS][THREAD_M * THREAD_N][32];
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
        for (int j = 0; j < THREAD_N; ++j)
            of_warps[warp][i * THREAD_N + j][lane] = sums.of[i][j];
    __syncthreads();
    for (int number = warp; number < THREAD_M * THREAD_N; number += WARPS) {
        int i = number / THREAD_N, j = number % THREAD_N, at = column + 32 * j;
        ELEMENT sum = 0;
#pragma unroll
        for (int other = 0; other < WARPS; ++other)
            sum += of_warps[other][number][lane];
        if (i < product.m && at < product.n)
            round_into(c[i * product.c.row + at * product.c.column], epilogue(sum, i, at));
    }
#endif
}
