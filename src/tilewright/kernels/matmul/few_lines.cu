// Products of float32 or float64 with a few rows: B is read once, at the speed of memory, wherever its rows begin.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), m up to THREAD_M, any n and k from 1 up; rows or columns of B are
//         contiguous, any strides of A and C, up to two batch extents. (Few columns are the transposed product.)
// The idea: each number of B is used m times, so a tile in shared memory gains nothing. Neighbouring threads load
//         neighbouring numbers, one each, so that no load needs an alignment, and each thread has many on their way.
// Launch: WARPS warps. B_K_MAJOR 0: a block has 32 x THREAD_N columns, and its warps share k. 1: a warp has THREAD_N
//         columns, and its lanes share k. blockIdx.y is the part of k, blockIdx.z the place in the batch. The blocks of
//         the last part come last, so those that they wait for run before them.
// Seeds:  000 (guards), 004 (a sum for each thread, then one for all of them), 003 (PAIR_SUMS).
// New:    A's numbers are the same for a whole warp, or for all of its columns: the L1 cache brings them. The blocks of
//         a part of k hand their sums to those of the last one, within the launch. A reduced product (PAIR_SUMS) adds
//         two rows of A, and two columns of B, as it loads them.
// Next:   cuda_cores_float32.cu and mma_sync_float64.cu, where there are enough rows to use each number of B often.
//
// Macros: those of epilogue.cuh, of which SUM, ELEMENT and OUTPUT are float or double; THREAD_M, THREAD_N (rows and
// columns of a thread), WARPS, UNROLL (of k, whose loads a thread has on their way together); B_K_MAJOR; HANDS_OVER (1:
// k is split); A_IN_VECTORS (1: A has THREAD_M rows, neighbours of which lie side by side, 16 bytes at a boundary);
// PAIR_SUMS (1: for reduced products, of which m and n count C's rows and columns).

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
#ifndef HANDS_OVER
#define HANDS_OVER 0
#endif
#ifndef A_IN_VECTORS
#define A_IN_VECTORS 0
#endif
#ifndef PAIR_SUMS
#define PAIR_SUMS 0
#endif
#include "device/memory/handed_sums.cuh"
#include "device/memory/layer.cuh"
#include "device/memory/vectors.cuh"

constexpr int THREADS = 32 * WARPS;
constexpr int LINES_OF_ONE = PAIR_SUMS ? 2 : 1; // rows of A that make one of C, and columns of B

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

// What is multiplied of a line: its number, or the sum of its two, which are `pair` apart.
__device__ __forceinline__ ELEMENT load_line(const ELEMENT* at, long long pair)
{
    return PAIR_SUMS ? __ldg(at) + __ldg(at + pair) : __ldg(at);
}

union Vector {
    uint4 bits;
    ELEMENT at[VECTOR_BYTES / sizeof(ELEMENT)];
};

// One number of each row of C, and 0 for rows that it has not.
__device__ __forceinline__ void load_rows(ELEMENT (&a)[THREAD_M], const ELEMENT* at, long long row_stride, int rows)
{
    constexpr int AT_ONCE = VECTOR_BYTES / sizeof(ELEMENT);
#pragma unroll
    for (int i = 0; A_IN_VECTORS && i < THREAD_M; i += AT_ONCE) {
        Vector vector = {__ldg(reinterpret_cast<const uint4*>(at + i))};
#pragma unroll
        for (int j = 0; j < AT_ONCE; ++j)
            a[i + j] = vector.at[j];
    }
#pragma unroll
    for (int i = 0; !A_IN_VECTORS && i < THREAD_M; ++i)
        a[i] = i < rows ? load_line(at + i * LINES_OF_ONE * row_stride, row_stride) : ELEMENT{};
}

// One number of each of a thread's columns, `step` apart, and 0 for columns that C has not.
__device__ __forceinline__ void load_columns(ELEMENT (&b)[THREAD_N], const ELEMENT* at, long long column_stride,
                                             int step, int columns)
{
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j)
        b[j] = j < columns ? load_line(at + j * step * LINES_OF_ONE * column_stride, column_stride) : ELEMENT{};
}

// Multiply A and B from `at_a` and `at_b` on, where k is `first`, and every `step` further until `end`.
__device__ __forceinline__ void multiply(Sums& sums, const ELEMENT* at_a, const ELEMENT* at_b,
                                         const SplitProduct& product, int column_step, int columns, int first, int end,
                                         int step)
{
    const int rows = product.m;
    const long long a_step = step * product.a.column, b_step = step * product.b.row;
    int k = first;
    // As many loads as may be are on their way before the first is waited for.
    for (; k + (UNROLL - 1) * step < end; k += UNROLL * step) {
        ELEMENT a[UNROLL][THREAD_M], b[UNROLL][THREAD_N];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            load_columns(b[u], at_b + u * b_step, product.b.column, column_step, columns);
            load_rows(a[u], at_a + u * a_step, product.a.row, rows);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u)
            sums.add(a[u], b[u]);
        at_a += UNROLL * a_step, at_b += UNROLL * b_step;
    }
    for (; k < end; k += step) {
        ELEMENT a[THREAD_M], b[THREAD_N];
        load_columns(b, at_b, product.b.column, column_step, columns);
        load_rows(a, at_a, product.a.row, rows);
        sums.add(a, b);
        at_a += a_step, at_b += b_step;
    }
}

// The sums that a thread finishes and stores; those of float32 fill words of two.
constexpr int NUMBERS = THREAD_M * THREAD_N, OWNERS = B_K_MAJOR ? 32 : WARPS, OWNED = (NUMBERS + OWNERS - 1) / OWNERS;
struct Owned {
    static constexpr int PER_WORD = 8 / static_cast<int>(sizeof(ELEMENT));
    static constexpr int COUNT = (OWNED + PER_WORD - 1) / PER_WORD * PER_WORD;
    ELEMENT sums[COUNT] = {};

    __device__ __forceinline__ ELEMENT& at(int i) { return sums[i]; }
};

// Of numbers that each lane has, as many as a power of two, number `lane` (modulo their count) added up over all lanes.
// Of every two numbers a lane hands one to its partner, and adds what it is handed to the other: so all sums take
// hardly more exchanges than there are numbers.
template <int COUNT, int DISTANCE = 16>
__device__ __forceinline__ ELEMENT sum_of_lane(ELEMENT (&numbers)[COUNT], int lane)
{
    static_assert((COUNT & COUNT - 1) == 0 && COUNT <= 32, "each half has a partner's");
    if constexpr (DISTANCE == 0) {
        return numbers[0];
    } else {
        const bool keeps_upper = lane & DISTANCE;
#pragma unroll
        for (int i = 0; i < (DISTANCE < COUNT ? DISTANCE : COUNT); ++i) {
            ELEMENT kept = numbers[i], handed = numbers[i];
            if constexpr (DISTANCE < COUNT) {
                kept = keeps_upper ? numbers[i + DISTANCE] : numbers[i];
                handed = keeps_upper ? numbers[i] : numbers[i + DISTANCE];
            }
            numbers[i] = kept + __shfl_xor_sync(0xFFFFFFFF, handed, DISTANCE);
        }
        return sum_of_lane<COUNT, DISTANCE / 2>(numbers, lane);
    }
}

// Without a bound ptxas spares registers and lets six loads of float64 at a time be on their way, not 48 (seen in the
// machine code of nvcc 13.0): one row times 2,451 x 20,871 then took 229 us on an H200, torch 101. Two blocks of an SM
// are what few_lines.py counts with.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    matmul_few_lines(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, const COperandElement* c_operand,
                     const BiasElement* bias, SealedWord* workspace, const __grid_constant__ SplitProduct product,
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
    const ELEMENT* b = matrix_at(B, product.b, batch_1, batch_2) + first * product.b.row +
                       static_cast<long long>(LINES_OF_ONE) * column * product.b.column;
    Sums sums;
    multiply(sums, a, b, product, STEP_N, columns, first, end, step);

    Owned owned;
#if B_K_MAJOR
    // Add up over the lanes, in a fixed order: lane l owns the sums l, l + 32 and so on.
#pragma unroll
    for (int i = 0; i < OWNED; ++i) {
        ELEMENT numbers[NUMBERS < 32 ? NUMBERS : 32];
#pragma unroll
        for (int number = 0; number < NUMBERS && number < 32; ++number)
            numbers[number] = sums.of[(32 * i + number) / THREAD_N][(32 * i + number) % THREAD_N];
        owned.at(i) = sum_of_lane(numbers, lane);
    }
#else
    // Add up over the warps, in a fixed order: warp w does so for the sums w, w + WARPS and so on of all lanes.
    __shared__ ELEMENT of_warps[WARPS][NUMBERS][32];
#pragma unroll
    for (int number = 0; number < NUMBERS; ++number)
        of_warps[warp][number][lane] = sums.of[number / THREAD_N][number % THREAD_N];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < OWNED; ++i) {
        int number = warp + i * WARPS;
        if (number < NUMBERS)
#pragma unroll
            for (int other = 0; other < WARPS; ++other)
                owned.at(i) += of_warps[other][number][lane];
    }
#endif

#if HANDS_OVER
    constexpr int WORDS = WORDS_OF<ELEMENT, Owned>;
    const int others = gridDim.y - 1;
    const long long place = static_cast<long long>(blockIdx.z) * gridDim.x + blockIdx.x;
    SealedWord* places = workspace + place * others * WORDS * THREADS + threadIdx.x;
    if (blockIdx.y < others) {
        leave_sums<ELEMENT, THREADS>(places + blockIdx.y * WORDS * THREADS, owned);
        return;
    }
    take_sums<ELEMENT, THREADS, WORDS>(places, others, WORDS * THREADS, owned);
#endif

    Epilogue epilogue{c_operand, bias, scalars};
    epilogue.enter_batch(batch_1, batch_2);
    OUTPUT* c = matrix_at(C, product.c, batch_1, batch_2);
#pragma unroll
    for (int i = 0; i < OWNED; ++i) {
        int number = (B_K_MAJOR ? lane : warp) + i * OWNERS, row = number / THREAD_N;
        int at = column + STEP_N * (number % THREAD_N);
        if (number < NUMBERS && row < product.m && at < product.n)
            round_into(c[row * product.c.row + at * product.c.column], epilogue(owned.at(i), row, at));
    }
}
