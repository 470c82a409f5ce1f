// Products of batches of small 16-bit matrices of any size: a block computes one whole product at a time.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), where m, n and k are at most BLOCK_M, BLOCK_N and BLOCK_K; up to two
//         batch extents, any strides between the products of the batch.
// The idea: each element is loaded once, so memory bandwidth is the limit. Rows of 63 or 127 elements are unaligned,
//         but a matrix is contiguous as a whole: it is loaded as one span, in aligned 16-byte vectors, and unpacked
//         into rows within shared memory, where that is cheap. C is stored the same way.
// Launch: a warp for each 16 rows of BLOCK_M; BLOCKS_PER_SM blocks on each multiprocessor, which take products in turn.
//         Dynamic shared memory: staged_bytes for aligned lines and then C, and A and B as they arrive.
// Seeds:  000 and 004 (tiles with guards), 001 (barriers between loading and computing).
// New:    the next product's matrices arrive while this one's are multiplied and stored. Threads that write results
//         side by side work on rows that lie SPREAD apart, whose places in the span of C fall on different banks.
//         B is laid out anew, A is read where it arrived: its elements are each needed by one warp only.
// Next:   none for such sizes; mma_sync.cu and wgmma.cu go through larger ones tile by tile.
//
// Macros: ELEMENT (__half, __nv_bfloat16), OUTPUT (ELEMENT or float); those of epilogue.cuh; BLOCK_M, BLOCK_N, BLOCK_K,
// BLOCKS_PER_SM; WGMMA: 1 where warpgroups multiply (sm_90a, BLOCK_M a multiple of 64), else warps do; A_K_MAJOR,
// B_K_MAJOR: 1 where elements along k are neighbours in memory, else those of a column of A or a row of B are;
// C_PACKED: 1 where C's rows follow each other without gaps, so that C is one span, else each row is one (its
// elements are always neighbours); SPREAD: 1, 2, 4 or 8 (1 unless A_K_MAJOR).
// Parameters: as mma_sync.cu has them; staged_bytes. Strides of lines are 0 or more.

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef OUTPUT
#define OUTPUT ELEMENT
#endif
#include "device/epilogue/epilogue.cuh"

#ifndef BLOCK_M
#define BLOCK_M 128
#define BLOCK_N 128
#define BLOCK_K 64
#define BLOCKS_PER_SM 2
#define WGMMA 0
#define A_K_MAJOR 1
#define B_K_MAJOR 0
#define C_PACKED 1
#define SPREAD 8
#endif
#include "device/memory/span.cuh"
#include "device/mma/mma_sync.cuh"
#if WGMMA
#include "device/mma/wgmma_rows.cuh"
#endif

constexpr int THREADS = BLOCK_M / 16 * 32;
static_assert(BLOCK_M % 16 == 0 && BLOCK_N % 16 == 0 && BLOCK_K % 16 == 0, "a warp multiplies 16 x 16 by 16 x 16");
static_assert(SPREAD == 1 || A_K_MAJOR, "columns of A are laid out as they come");

using SpanA = Span<BLOCK_M, BLOCK_K, A_K_MAJOR, THREADS>;
using SpanB = Span<BLOCK_N, BLOCK_K, B_K_MAJOR, THREADS>;

// What a row of C takes in shared memory where each is a span of its own, with room to be shifted by.
constexpr int ROW_BYTES = BLOCK_N * static_cast<int>(sizeof(OUTPUT)) + 16;

// A warp's 16 rows of C.
using Sums = float[BLOCK_N / 2];

// The row that the tensor cores have as number `place`: of each group of 8 x SPREAD rows every SPREADth are neighbours.
__device__ __forceinline__ int row_at(int place)
{
    constexpr int GROUP = 8 * SPREAD;
    return place / GROUP * GROUP + place / 8 % SPREAD + place % 8 * SPREAD;
}

// Rows of A where they arrived, read as the tensor cores take them: a lane's two rows, eight places apart.
struct RowsOfA {
    const unsigned* words[2]; // that hold the lane's first elements
    int past[2];              // bits of the first word before them: 0 or 16

    __device__ __forceinline__ RowsOfA(const unsigned char* room, int shift, int line_stride, int m)
    {
        int lane = threadIdx.x % 32;
        for (int half = 0; half < 2; ++half) {
            // Results of rows past the last are not stored: any row will do.
            int row = min(row_at(threadIdx.x / 32 * 16 + 8 * half + lane / 4), m - 1);
            int at = shift + row * line_stride + lane % 4 * 2;
            words[half] = reinterpret_cast<const unsigned*>(room) + at / 2;
            past[half] = at % 2 * 16;
        }
    }

    // The 16 x 16 elements from column `inner` on, as load_fragment_a has them; those from column k on are 0.
    __device__ __forceinline__ void load(unsigned (&to)[4], int inner, int k) const
    {
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            const unsigned* from = words[part % 2] + inner / 2 + part / 2 * 4;
            int inside = k - inner - part / 2 * 8 - threadIdx.x % 4 * 2;
            bool is_whole = inner + 16 <= k;
            unsigned low = 0, high = 0;
            if (is_whole || inside >= 1)
                low = from[0];
            if (past[part % 2] != 0 && (is_whole || inside >= 2))
                high = from[1];
            to[part] = __funnelshift_r(low, high, past[part % 2]);
            if (!is_whole && inside < 2)
                to[part] &= FIRST_OF_TWO;
        }
    }
};

// Multiply A, as it arrived or as aligned lines, and B as aligned lines, as far as k reaches.
__device__ __forceinline__ void multiply(const RowsOfA& rows, const ELEMENT* lines_a, const ELEMENT* lines_b, int k,
                                         Sums& sums)
{
    unsigned a[BLOCK_K / 16][4];
#pragma unroll
    for (int step = 0; step < BLOCK_K / 16; ++step)
        if constexpr (A_K_MAJOR)
            rows.load(a[step], 16 * step, k);
        else
            load_fragment_a<0, SpanA::PITCH>(a[step], lines_a, threadIdx.x / 32 * 16, 16 * step);
#if WGMMA
    unsigned address = shared_address(lines_b);
    wgmma_rows_begin(a);
#pragma unroll
    for (int step = 0; step < BLOCK_K / 16; ++step) {
        int at = B_K_MAJOR ? step / K_STEPS_OF_ROW * SpanB::BLOCK_ELEMENTS * 2 + step % K_STEPS_OF_ROW * K_STEP_BYTES
                           : step * K_STEP * SWIZZLE_BYTES;
        wgmma_rows(sums, a[step], tile_descriptor(address + at, SpanB::BLOCK_ELEMENTS * 2), step > 0);
    }
    wgmma_rows_end(sums);
#else
#pragma unroll
    for (int i = 0; i < BLOCK_N / 2; ++i)
        sums[i] = 0;
#pragma unroll
    for (int step = 0; step < BLOCK_K / 16; ++step) {
        if (16 * step >= k)
            break;
#pragma unroll
        for (int j = 0; j < BLOCK_N / 16; ++j) {
            unsigned b[4];
            load_fragment_b<B_K_MAJOR, SpanB::PITCH>(b, lines_b, 16 * j, 16 * step);
            multiply_add(reinterpret_cast<float(&)[4]>(sums[8 * j]), a[step], b);
            multiply_add(reinterpret_cast<float(&)[4]>(sums[8 * j + 4]), a[step], b + 2);
        }
    }
#endif
}

// A lane's results of one of its two rows to shared memory. What the epilogue reads is on its way together, for four
// pairs at a time.
template <int WHOLE>
__device__ __forceinline__ void put_row(OUTPUT* line, const Sums& sums, int half, const Epilogue& epilogue, int row,
                                        int n)
{
    constexpr int PAIRS = 4;
    int column = threadIdx.x % 4 * 2;
#pragma unroll
    for (int first = 0; first < BLOCK_N / 8; first += PAIRS) {
        float added[PAIRS][2], biased[PAIRS][2];
#pragma unroll
        for (int i = 0; i < 2 * PAIRS; ++i) {
            int at = column + 8 * (first + i / 2) + i % 2;
            added[i / 2][i % 2] = at < n ? epilogue.c_operand_at(row, at) : 0.0f;
            biased[i / 2][i % 2] = at < n ? epilogue.bias_at(row, at) : 0.0f;
        }
#pragma unroll
        for (int pair = 0; pair < PAIRS; ++pair) {
            int j = first + pair, at = column + 8 * j;
            float results[2];
#pragma unroll
            for (int i = 0; i < 2; ++i)
                results[i] = epilogue.finished(sums[4 * j + 2 * half + i], added[pair][i], biased[pair][i]);
            if (8 * j + 8 <= n) {
                put_pair(line + at, WHOLE, results[0], results[1]);
                continue;
            }
            for (int i = 0; i < 2; ++i)
                if (at + i < n)
                    round_into(line[at + i], results[i]);
        }
    }
}

// Round a warp's sums into shared memory, where they lie as they will in C.
__device__ __forceinline__ void stage(unsigned char* staged, const Sums& sums, const Epilogue& epilogue,
                                      const OUTPUT* c, long long row_stride, int m, int n)
{
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int row = row_at(threadIdx.x / 32 * 16 + 8 * half + threadIdx.x % 32 / 4);
        if (row >= m)
            continue;
        int at = elements_past_boundary(C_PACKED ? c : c + row * row_stride) + (C_PACKED ? row * n : 0);
        OUTPUT* line = reinterpret_cast<OUTPUT*>(C_PACKED ? staged : staged + row * ROW_BYTES) + at;
        // The rows of a warp's lanes lie SPREAD apart, and mostly agree about this.
        if (at % 2 == 0)
            put_row<1>(line, sums, half, epilogue, row, n);
        else
            put_row<0>(line, sums, half, epilogue, row, n);
    }
}

// From shared memory to C.
__device__ __forceinline__ void store(OUTPUT* c, long long row_stride, const unsigned char* staged, int m, int n)
{
    if constexpr (C_PACKED) {
        store_span<THREADS>(c, staged, m * n, threadIdx.x);
    } else {
        constexpr int LANES = 16;
        for (int row = threadIdx.x / LANES; row < m; row += THREADS / LANES)
            store_span<LANES>(c + row * row_stride, staged + row * ROW_BYTES, n, threadIdx.x % LANES);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    matmul_small_batched(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, const COperandElement* c_operand,
                          const BiasElement* bias, const __grid_constant__ StridedProduct product,
                          const __grid_constant__ EpilogueScalars scalars, int staged_bytes)
{
    const int m = product.m, n = product.n, k = product.k;
    const int batches_1 = static_cast<int>(product.batches_1);
    const long long c_row_stride = product.c.row;
    extern __shared__ __align__(SWIZZLE_ATOM_BYTES) unsigned char shared[];
    const SpanA span_a(m, k, product.a.row, product.a.column);
    const SpanB span_b(n, k, product.b.column, product.b.row);
    unsigned char* staged = shared;
    ELEMENT* lines_b = reinterpret_cast<ELEMENT*>(staged);
    ELEMENT* lines_a = lines_b + (WGMMA ? SpanB::BLOCKS * SpanB::BLOCK_ELEMENTS : SpanB::ELEMENTS);
    unsigned char* room_a = shared + staged_bytes;
    unsigned char* room_b = room_a + span_a.room_bytes();

    wait_for_previous_kernel();

    // Products are counted in 32 bits.
    const int products = static_cast<int>(product.batches);
    int number = blockIdx.x, batch_1 = number % batches_1, batch_2 = number / batches_1;
    Arrival arrival_a = span_a.fetch(room_a, matrix_at(A, product.a, batch_1, batch_2), 0);
    Arrival arrival_b = span_b.fetch(room_b, matrix_at(B, product.b, batch_1, batch_2), 16);
    end_of_copies();
    for (;;) {
        int next = number + gridDim.x, next_1 = next % batches_1, next_2 = next / batches_1;
        bool is_last = next >= products;

        // Both matrices are here, and nobody reads the last product's C any more.
        SpanA::put_ends(arrival_a, room_a);
        SpanB::put_ends(arrival_b, room_b);
        wait_for_copies<0>();
        __syncthreads();
        span_b.lay_out<WGMMA>(lines_b, room_b, arrival_b.shift);
        if constexpr (!A_K_MAJOR)
            span_a.lay_out<0>(lines_a, room_a, arrival_a.shift);
#if WGMMA
        fence_shared_writes();
#endif
        __syncthreads();

        // What has been laid out may be replaced by the next; what is read where it arrived, later.
        if (!is_last)
            arrival_b = span_b.fetch(room_b, matrix_at(B, product.b, next_1, next_2), 16);
        Sums sums;
        RowsOfA rows(room_a, arrival_a.shift, span_a.line_stride, m);
        multiply(rows, lines_a, lines_b, k, sums);
        // C takes the place of the lines: wait until nobody reads them.
        __syncthreads();
        if (!is_last)
            arrival_a = span_a.fetch(room_a, matrix_at(A, product.a, next_1, next_2), 0);
        end_of_copies();

        OUTPUT* c = matrix_at(C, product.c, batch_1, batch_2);
        Epilogue epilogue{c_operand, bias, scalars};
        epilogue.enter_batch(batch_1, batch_2);
        stage(staged, sums, epilogue, c, c_row_stride, m, n);
        __syncthreads();
        store(c, c_row_stride, staged, m, n);
        if (is_last)
            break;
        number = next, batch_1 = next_1, batch_2 = next_2;
    }
}
