// Products of 16-bit matrices with a short k: hardly more than writing C, so everything serves that.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n) with contiguous rows, k up to 16 x STEPS; any strides of A and B, two
//         batch extents at most; offsets along k fit 32 bits.
// The idea: C has m n numbers, and A and B together few. A warp keeps its columns of B in registers for as long as it
//         works, walks down the rows, 16 at a time, and writes each row of its columns as the memory likes it: a warp's
//         neighbouring threads write neighbouring words, whatever boundary the row begins at.
// Launch: blockIdx.x, y and z are WARPS x WARP_N columns of C, `rows_per_block` rows, and the product of the batch.
// Seeds:  001 (what is used again is kept close), 004 (guards).
// New:    no barrier between warps: each has its own columns and its own room to turn fragments into rows.
// Next:   wgmma.cu, where k is long enough that multiplying takes as long as writing.
//
// Macros: ELEMENT (__half, __nv_bfloat16), OUTPUT (ELEMENT or float); those of epilogue.cuh; WARP_N, WARPS, STEPS;
// A_LOADS, B_LOADS, K_RUN: of direct_fragments.cuh; C_EVEN: 1 where rows of C are whole words, at addresses of words.

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef OUTPUT
#define OUTPUT ELEMENT
#endif
#include "device/epilogue/epilogue.cuh"

#ifndef WARP_N
#define WARP_N 128
#define WARPS 4
#define STEPS 1
#define K_RUN 2
#define A_LOADS 0
#define B_LOADS 0
#define C_EVEN 0
#endif
#include "device/mma/direct_fragments.cuh"
#include "device/mma/mma_sync.cuh"

constexpr int IN_WORD = 4 / sizeof(OUTPUT); // results that a thread stores at once
constexpr int IN_TURN = 32 * IN_WORD;       // and a warp
static_assert(WARP_N % IN_TURN == 0, "a row of a warp's columns is whole words of its threads");

constexpr int THREADS = 32 * WARPS;
constexpr int ROWS = 16;        // that a warp multiplies at once
constexpr int ROWS_AT_ONCE = 4; // that it stores at once
constexpr int PITCH = WARP_N + PADDING;

using Sums = float[WARP_N / 8][4];

// A warp's 16 rows, rounded, to its room in shared memory, two neighbours of a row at once.
__device__ __forceinline__ void put_rows(OUTPUT* staged, const Sums& sums, const Epilogue& epilogue, int row,
                                         int column, int m, int n)
{
    constexpr bool ACROSS = B_LOADS == LOADS_ACROSS;
    const int quad = threadIdx.x % 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int y = DirectLines<A_LOADS>::at(half);
#pragma unroll
        for (int j = 0; j < WARP_N / 8; ++j) {
            int x = ACROSS ? j / 2 * 16 + quad * 4 + j % 2 * 2 : j * 8 + quad * 2;
            float pair[2];
#pragma unroll
            for (int part = 0; part < 2; ++part) {
                pair[part] = ACROSS ? sums[j / 2 * 2 + part][2 * half + j % 2] : sums[j][2 * half + part];
#if EPILOGUE
                if (row + y < m && column + x + part < n)
                    pair[part] = epilogue(pair[part], row + y, column + x + part);
#endif
            }
            put_pair(staged + y * PITCH + x, true, pair[0], pair[1]);
        }
    }
}

// Rows of `columns` results to C, a few at once: their words are on their way together, one for each thread and turn.
// Where a row begins off a word, its words begin at its second element.
__device__ __forceinline__ void store_rows(OUTPUT* to, long long row_stride, const OUTPUT* from, int rows, int columns)
{
    const int lane = threadIdx.x % 32, width = min(columns, WARP_N);
    const unsigned* staged = reinterpret_cast<const unsigned*>(from) + lane;
    const int past = C_EVEN ? 0 : elements_past_boundary(to) % IN_WORD;
    const int parity = C_EVEN ? 0 : static_cast<int>(row_stride) & (IN_WORD - 1); // of a distance, of any sign
    unsigned words[ROWS_AT_ONCE][WARP_N / IN_TURN];
#pragma unroll
    for (int y = 0; y < ROWS_AT_ONCE; ++y)
#pragma unroll
        for (int turn = 0; turn < WARP_N / IN_TURN; ++turn) {
            const unsigned* at = staged + y * (PITCH / IN_WORD) + 32 * turn;
            words[y][turn] = at[0];
            if constexpr (!C_EVEN)
                words[y][turn] = __byte_perm(words[y][turn], at[1], (past ^ (y & parity)) != 0 ? 0x5432 : 0x3210);
        }
#pragma unroll
    for (int y = 0; y < ROWS_AT_ONCE; ++y, to += row_stride) {
        const int begin = C_EVEN ? 0 : past ^ (y & parity);
        OUTPUT* thread_to = to + begin + IN_WORD * lane;
#pragma unroll
        for (int turn = 0; turn < WARP_N / IN_TURN; ++turn)
            if (y < rows && IN_TURN * turn + IN_WORD * (lane + 1) + begin <= width)
                *reinterpret_cast<unsigned*>(thread_to + IN_TURN * turn) = words[y][turn];
        // The element before the first word and the one after the last.
        if constexpr (!C_EVEN)
            if (y < rows && (begin != 0 || width % IN_WORD != 0)) {
                int single = lane == 0 ? 0 : width - 1;
                if (lane == 0 ? begin != 0 : lane == 1 && (width - begin) % IN_WORD != 0)
                    to[single] = from[y * PITCH + single];
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
    const int warp = threadIdx.x / 32, column = (blockIdx.x * WARPS + warp) * WARP_N;
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

    // The word after each row's last is read with it, and never stored.
    if (!C_EVEN && threadIdx.x % 32 < ROWS)
        *reinterpret_cast<unsigned*>(staged[warp] + threadIdx.x % 32 * PITCH + WARP_N) = 0;

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

        put_rows(staged[warp], sums, epilogue, row, column, m, n);
        __syncwarp();
        int rows = min(end - row, ROWS);
        for (int y = 0; y < rows; y += ROWS_AT_ONCE, c += ROWS_AT_ONCE * product.c.row)
            store_rows(c, product.c.row, staged[warp] + y * PITCH, rows - y, columns);
        __syncwarp();
    }
}
