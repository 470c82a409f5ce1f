// Products of 16-bit matrices with a short k: hardly more than writing C, so everything serves that.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n) with contiguous rows, k up to 16 x STEPS; any strides of A and B, two
//         batch extents at most; offsets along k fit 32 bits.
// The idea: C has m n numbers, and A and B together few. A warp keeps its columns of B in registers for as long as it
//         works, walks down the rows, 16 at a time, and writes them as the memory likes it: each thread 16 bytes, and
//         each warp whole sectors of 32. Where rows of C begin at any address, a row's part of a strip begins at its
//         first sector: warps multiply 16 columns more than they store.
// Launch: blockIdx.x, y and z are WARPS x STRIP_N columns of C, `rows_per_block` rows, and the product of the batch.
// Seeds:  001 (what is used again is kept close), 004 (guards).
// New:    no barrier between warps: each has its own columns and its own room to turn fragments into rows.
// Next:   wgmma.cu, where k is long enough that multiplying takes as long as writing.
//
// Macros: ELEMENT (__half, __nv_bfloat16), OUTPUT (ELEMENT or float); those of epilogue.cuh; STRIP_N: the columns of C
// that a warp stores; WARPS, STEPS; A_LOADS, B_LOADS, K_RUN: of direct_fragments.cuh; C_VECTOR_BYTES: 16 or 4 where
// all rows of C begin and end at multiples of it, else less.

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef OUTPUT
#define OUTPUT ELEMENT
#endif
#include "device/epilogue/epilogue.cuh"

#ifndef STRIP_N
#define STRIP_N 48
#define WARPS 4
#define STEPS 1
#define K_RUN 2
#define A_LOADS 0
#define B_LOADS 0
#define C_VECTOR_BYTES 2
#endif
#include "device/mma/direct_fragments.cuh"
#include "device/mma/mma_sync.cuh"

constexpr int WARP_N = 64; // columns that a warp multiplies
constexpr int ROWS = 16;   // and rows, at once
constexpr int THREADS = 32 * WARPS;
constexpr int PITCH = WARP_N + PADDING;

constexpr int IN_VECTOR = 16 / sizeof(OUTPUT), IN_WORD = 4 / sizeof(OUTPUT); // results
constexpr int IN_END = C_VECTOR_BYTES >= 4 ? IN_WORD : 1;                    // stored at once where a row ends
constexpr int LANES_OF_ROW = WARP_N / IN_VECTOR;                             // the last idle where strips are narrower
constexpr int APART = STRIP_N == WARP_N ? IN_VECTOR : WARP_N - STRIP_N;      // a strip begins at a multiple, as C lies
static_assert(APART % IN_VECTOR == 0 && STRIP_N % APART == 0, "boundaries are the same for all strips of a row");

using Sums = float[WARP_N / 8][4];

// How many results past a boundary of 16 bytes a row of C begins.
__device__ __forceinline__ int past_vector(const OUTPUT* row)
{
    return C_VECTOR_BYTES == 16 ? 0 : elements_past_boundary(row);
}

// How many results of a row come before its first boundary of so many, to which C's address counts.
template <int BOUNDARY> __device__ __forceinline__ int before(const OUTPUT* row)
{
    int past = static_cast<int>(static_cast<unsigned>(reinterpret_cast<unsigned long long>(row)) / sizeof(OUTPUT));
    return -past & (BOUNDARY - 1);
}

// And before the warp's strip: none where strips are as wide as what a warp multiplies, and rows begin at vectors.
__device__ __forceinline__ int before_strip(const OUTPUT* row)
{
    return C_VECTOR_BYTES == 16 && STRIP_N == WARP_N ? 0 : before<APART>(row);
}

// And where it begins in shared memory: as far past 16 bytes as in C, or an element less, at a word's boundary.
__device__ __forceinline__ int staged_at(const OUTPUT* row)
{
    return C_VECTOR_BYTES >= 4 ? past_vector(row) : past_vector(row) / IN_WORD * IN_WORD;
}

// A warp's 16 rows, rounded, to its room in shared memory, two neighbours of a row at once. `c` is where the first one
// begins.
__device__ __forceinline__ void put_rows(OUTPUT* staged, const OUTPUT* c, long long row_stride, const Sums& sums,
                                         const Epilogue& epilogue, int row, int column, int m, int n)
{
    constexpr bool ACROSS = B_LOADS == LOADS_ACROSS;
    const int quad = threadIdx.x % 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int y = DirectLines<A_LOADS>::at(half);
        OUTPUT* row_of = staged + y * PITCH + staged_at(c + y * row_stride);
#if EPILOGUE
        // Its strip: the C operand of other columns may be C, which their warp is about to write.
        const int begin = column == 0 ? 0 : before_strip(c + y * row_stride);
        const int end = min(before_strip(c + y * row_stride) + STRIP_N, n - column);
#endif
#pragma unroll
        for (int j = 0; j < WARP_N / 8; ++j) {
            int x = ACROSS ? j / 2 * 16 + quad * 4 + j % 2 * 2 : j * 8 + quad * 2;
            float pair[2];
#pragma unroll
            for (int part = 0; part < 2; ++part) {
                pair[part] = ACROSS ? sums[j / 2 * 2 + part][2 * half + j % 2] : sums[j][2 * half + part];
#if EPILOGUE
                if (row + y < m && x + part >= begin && x + part < end)
                    pair[part] = epilogue(pair[part], row + y, column + x + part);
#endif
            }
            put_pair(row_of + x, true, pair[0], pair[1]);
        }
    }
}

// The vector of a row of C that belongs at `at` in shared memory, where it may begin an element earlier.
__device__ __forceinline__ uint4 staged_vector(const OUTPUT* at, const OUTPUT* row)
{
    uint4 found = *reinterpret_cast<const uint4*>(at);
    if (C_VECTOR_BYTES < 4 && past_vector(row) % IN_WORD != 0) {
        unsigned before = reinterpret_cast<const unsigned*>(at)[-1];
        found = make_uint4(__byte_perm(before, found.x, 0x5432), __byte_perm(found.x, found.y, 0x5432),
                           __byte_perm(found.y, found.z, 0x5432), __byte_perm(found.z, found.w, 0x5432));
    }
    return found;
}

// IN_END results of a row.
__device__ __forceinline__ void store_end(OUTPUT* to, const OUTPUT* from)
{
    if constexpr (C_VECTOR_BYTES >= 4)
        *reinterpret_cast<unsigned*>(to) = *reinterpret_cast<const unsigned*>(from);
    else
        *to = *from;
}

// Rows of C, of which `columns` columns are left from the warp's first on: each from the first sector that begins in
// them to where the next warp's begin, so that all stores are whole vectors and all sectors are one warp's.
__device__ __forceinline__ void store_rows(OUTPUT* c, long long row_stride, const OUTPUT* staged, int rows, int column,
                                           int columns)
{
    const int lane = threadIdx.x % 32, at = lane % LANES_OF_ROW * IN_VECTOR;
#pragma unroll
    for (int i = 0; i < ROWS * LANES_OF_ROW; i += 32) {
        int y = (i + lane) / LANES_OF_ROW;
        OUTPUT* row = c + y * row_stride;
        int x = before_strip(row) + at;
        if (y < rows && at < STRIP_N && x + IN_VECTOR <= columns)
            *reinterpret_cast<uint4*>(row + x) = staged_vector(staged + y * PITCH + past_vector(row) + x, row);
    }
    // The vectors of the rows' beginnings.
    if (APART > IN_VECTOR && column == 0)
#pragma unroll
        for (int i = 0; i < ROWS * APART / IN_VECTOR; i += 32) {
            int y = (i + lane) / (APART / IN_VECTOR);
            OUTPUT* row = c + y * row_stride;
            int x = before_strip(row) - APART + (i + lane) % (APART / IN_VECTOR) * IN_VECTOR;
            if (y < rows && x >= 0 && x + IN_VECTOR <= columns)
                *reinterpret_cast<uint4*>(row + x) = staged_vector(staged + y * PITCH + past_vector(row) + x, row);
        }
    if constexpr (C_VECTOR_BYTES < 16) {
        constexpr int ENDS = IN_VECTOR / IN_END; // stores of a row, at most
        // What rows have before their first vector, and after their last.
        if (column == 0)
#pragma unroll
            for (int i = 0; i < ROWS * ENDS; i += 32) {
                int y = (i + lane) / ENDS, x = lane % ENDS * IN_END;
                OUTPUT* row = c + y * row_stride;
                if (y < rows && x < min(before<IN_VECTOR>(row), columns))
                    store_end(row + x, staged + y * PITCH + staged_at(row) + x);
            }
        if (columns < STRIP_N + APART)
#pragma unroll
            for (int i = 0; i < ROWS * ENDS; i += 32) {
                int y = (i + lane) / ENDS;
                OUTPUT* row = c + y * row_stride;
                int first = before<IN_VECTOR>(row), left = columns - first;
                int x = first + left / IN_VECTOR * IN_VECTOR + lane % ENDS * IN_END;
                bool is_last = columns < before_strip(row) + STRIP_N && (column == 0 || columns > before_strip(row));
                if (y < rows && left > 0 && is_last && x < columns)
                    store_end(row + x, staged + y * PITCH + staged_at(row) + x);
            }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_short_k(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, const COperandElement* c_operand,
                   const BiasElement* bias, const __grid_constant__ StridedProduct product,
                   const __grid_constant__ EpilogueScalars scalars, int rows_per_block)
{
    __shared__ __align__(16) OUTPUT staged[WARPS][ROWS * PITCH];
    const int m = product.m, n = product.n, k = product.k;
    const int warp = threadIdx.x / 32, column = (blockIdx.x * WARPS + warp) * STRIP_N;
    int row = blockIdx.y * rows_per_block;
    const int end = min(row + rows_per_block, m), columns = n - column;
    const unsigned batches_1 = static_cast<unsigned>(product.batches_1);
    const unsigned batch_2 = blockIdx.z / batches_1, batch_1 = blockIdx.z - batch_2 * batches_1;

    wait_for_previous_kernel();
    if (columns <= 0)
        return; // nobody waits for this warp
    const ELEMENT* a = matrix_at(A, product.a, batch_1, batch_2);
    const ELEMENT* b = matrix_at(B, product.b, batch_1, batch_2);
    const int a_inner_stride = static_cast<int>(product.a.column), b_inner_stride = static_cast<int>(product.b.row);
    Epilogue epilogue{c_operand, bias, scalars};
    epilogue.enter_batch(batch_1, batch_2);
    OUTPUT* c = matrix_at(C, product.c, batch_1, batch_2) + row * product.c.row + column;

    // All of k, of the first rows and of the warp's columns.
    static_assert(STEPS % STEPS_OF_LOAD == 0, "a load has whole steps");
    unsigned of_a[STEPS][2][2], of_b[WARP_N / 16][STEPS][2][2];
    const auto load_rows = [&](int first) {
        DirectLines<A_LOADS> lines(a, product.a.row, a_inner_stride, first, m);
#pragma unroll
        for (int step = 0; step < STEPS; step += STEPS_OF_LOAD)
            lines.load(of_a + step, 16 * step, k);
    };
    load_rows(row);
#pragma unroll
    for (int j = 0; j < WARP_N / 16; ++j) {
        DirectLines<B_LOADS> lines(b, product.b.column, b_inner_stride, column + 16 * j, n);
#pragma unroll
        for (int step = 0; step < STEPS; step += STEPS_OF_LOAD)
            lines.load(of_b[j] + step, 16 * step, k);
    }

    for (; row < end; row += ROWS) {
        Sums sums = {};
#pragma unroll
        for (int step = 0; step < STEPS; ++step) {
            unsigned fragment[4] = {of_a[step][0][0], of_a[step][1][0], of_a[step][0][1], of_a[step][1][1]};
#pragma unroll
            for (int j = 0; j < WARP_N / 8; ++j)
                multiply_add(sums[j], fragment, of_b[j / 2][step][j % 2]);
        }
        // The next rows are on their way while these are stored.
        if (row + ROWS < end)
            load_rows(row + ROWS);

        put_rows(staged[warp], c, product.c.row, sums, epilogue, row, column, m, n);
        __syncwarp();
        store_rows(c, product.c.row, staged[warp], min(end - row, ROWS), column, columns);
        c += ROWS * product.c.row;
        __syncwarp();
    }
}
