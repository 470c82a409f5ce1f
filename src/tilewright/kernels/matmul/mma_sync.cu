// Products of 16-bit matrices on the tensor cores by mma.sync: every chip from compute capability 7.5 on has it.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), any m, n, k from 0 up, any strides, up to two batch extents.
// Launch: WARPS_M x WARPS_N warps; a line of blocks that take tiles of C, or parts of their sums, in turn; STAGES tiles
//         of A and B in dynamic shared memory.
// Seeds:  000 and 004 (tiles with guards), 001 (barriers between loading and computing).
// New:    a warp multiplies 16 x 16 by 16 x 8 elements in one instruction. While it does, the next tiles are on their
//         way: cp.async copies 4, 8 or 16 bytes past the registers (from 8.0 on), a load of its own brings what is
//         narrower, and both write 0 for what lies outside.
// Next:   the sm_90a kernels let the copy engine load and a whole warpgroup multiply.
//
// Macros: ELEMENT (__half, __nv_bfloat16), OUTPUT (ELEMENT or float); those of epilogue.cuh; BLOCK_M, BLOCK_N, BLOCK_K,
// WARPS_M, WARPS_N, STAGES, BLOCKS_PER_SM; A_K_MAJOR, B_K_MAJOR: 1 where k is contiguous, in global and in shared
// memory; A_VECTOR, B_VECTOR: the elements of one load, 8 to 1 (1 also where no dimension is contiguous); A_SHIFTED,
// B_SHIFTED: 1 where vectors begin at any address and are assembled from two aligned ones; C_BY_LINES: 1 where rows
// of C are contiguous, 2 where columns are: C passes through shared memory; 0 where neither are; L2_PREFETCH: that of
// vectors.cuh.

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
#define BLOCK_K 32
#define WARPS_M 2
#define WARPS_N 4
#define STAGES 2
#define BLOCKS_PER_SM 1
#define A_K_MAJOR 1
#define B_K_MAJOR 0
#define A_VECTOR 8
#define B_VECTOR 8
#define A_SHIFTED 0
#define B_SHIFTED 0
#define C_BY_LINES 0
#endif
#include "device/memory/layer.cuh"
#include "device/memory/shared_tile.cuh"
#include "device/mma/mma_sync.cuh"

constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int WARP_M = BLOCK_M / WARPS_M, WARP_N = BLOCK_N / WARPS_N;
static_assert(WARP_M % 16 == 0 && WARP_N % 16 == 0 && BLOCK_K % 16 == 0, "a warp multiplies 16 x 16 by 16 x 16");

using TileA = SharedTile<BLOCK_M, BLOCK_K, A_K_MAJOR, A_VECTOR, A_SHIFTED, THREADS>;
using TileB = SharedTile<BLOCK_N, BLOCK_K, B_K_MAJOR, B_VECTOR, B_SHIFTED, THREADS>;

// The stages, where C passes too, rows or columns first.
constexpr int STAGE_BYTES = (TileA::ELEMENTS + TileB::ELEMENTS) * 2;
constexpr int C_ROWS = BLOCK_M * STAGED_PITCH<BLOCK_N>, C_COLUMNS = BLOCK_N * STAGED_PITCH<BLOCK_M>;
constexpr int C_BYTES = 2 * (C_ROWS > C_COLUMNS ? C_ROWS : C_COLUMNS);
constexpr int SHARED_BYTES = C_BY_LINES != 0 && C_BYTES > STAGES * STAGE_BYTES ? C_BYTES : STAGES * STAGE_BYTES;
static_assert(SHARED_BYTES <= MOST_SHARED_BYTES, "stages fit a block");

// Multiply one pair of tiles in shared memory into a warp's sums.
__device__ __forceinline__ void multiply(const ELEMENT* a, const ELEMENT* b, float (&sums)[WARP_M / 16][WARP_N / 8][4])
{
    int warp_row = threadIdx.x / 32 / WARPS_N * WARP_M, warp_column = threadIdx.x / 32 % WARPS_N * WARP_N;
#pragma unroll
    for (int inner = 0; inner < BLOCK_K; inner += 16) {
        unsigned fragments_a[WARP_M / 16][4], fragments_b[WARP_N / 16][4];
#pragma unroll
        for (int i = 0; i < WARP_M / 16; ++i)
            load_fragment_a<A_K_MAJOR, TileA::PITCH>(fragments_a[i], a, warp_row + 16 * i, inner);
#pragma unroll
        for (int j = 0; j < WARP_N / 16; ++j)
            load_fragment_b<B_K_MAJOR, TileB::PITCH>(fragments_b[j], b, warp_column + 16 * j, inner);
#pragma unroll
        for (int i = 0; i < WARP_M / 16; ++i)
#pragma unroll
            for (int j = 0; j < WARP_N / 8; ++j)
                multiply_add(sums[i][j], fragments_a[i], &fragments_b[j / 2][j % 2 * 2]);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    matmul_mma_sync(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, const COperandElement* c_operand,
                    const BiasElement* bias, const __grid_constant__ SplitProduct product,
                    const __grid_constant__ EpilogueScalars scalars)
{
    extern __shared__ __align__(16) unsigned char stages[];
    ELEMENT* stage_a = reinterpret_cast<ELEMENT*>(stages);
    ELEMENT* stage_b = stage_a + STAGES * TileA::ELEMENTS;
    const int m = product.m, n = product.n;
    int lane = threadIdx.x % 32;
    int warp_row = threadIdx.x / 32 / WARPS_N * WARP_M, warp_column = threadIdx.x / 32 % WARPS_N * WARP_N;

    wait_for_previous_kernel();
    long long layers = product.batches * product.splits;
    for (long long index = blockIdx.x; index < tiles_of<BLOCK_M, BLOCK_N>(m, n, layers); index += gridDim.x) {
        Layer tile(product, tile_at<BLOCK_M, BLOCK_N>(index, m, n, layers));
        const ELEMENT* a = matrix_at(A, product.a, tile.batch_1, tile.batch_2);
        const ELEMENT* b = matrix_at(B, product.b, tile.batch_1, tile.batch_2);
        const int end = tile.first + tile.inners;
        int phases = static_cast<int>((static_cast<long long>(tile.inners) + BLOCK_K - 1) / BLOCK_K);
        TileA loads_a{a, product.a.row, product.a.column, tile.row, m, end};
        TileB loads_b{b, product.b.column, product.b.row, tile.column, n, end};

        // Fill all stages but one.
        for (int phase = 0; phase < STAGES - 1; ++phase) {
            loads_a.fetch(stage_a + phase * TileA::ELEMENTS, tile.first + phase * BLOCK_K);
            loads_b.fetch(stage_b + phase * TileB::ELEMENTS, tile.first + phase * BLOCK_K);
            loads_a.put(stage_a + phase * TileA::ELEMENTS);
            loads_b.put(stage_b + phase * TileB::ELEMENTS);
            end_of_copies();
        }

        float sums[WARP_M / 16][WARP_N / 8][4] = {};
        for (int phase = 0; phase < phases; ++phase) {
            // Wait until this phase's tiles are complete, and until nobody reads those that are about to be replaced.
            wait_for_copies<STAGES - 2>();
            __syncthreads();

            int next = phase + STAGES - 1, to = next % STAGES, from = phase % STAGES;
            if (next < phases) {
                loads_a.fetch(stage_a + to * TileA::ELEMENTS, tile.first + next * BLOCK_K);
                loads_b.fetch(stage_b + to * TileB::ELEMENTS, tile.first + next * BLOCK_K);
            }
            multiply(stage_a + from * TileA::ELEMENTS, stage_b + from * TileB::ELEMENTS, sums);
            if (next < phases) {
                loads_a.put(stage_a + to * TileA::ELEMENTS);
                loads_b.put(stage_b + to * TileB::ELEMENTS);
            }
            end_of_copies();
        }
        // The stages are free for C, or for the next tile of C: wait until nobody reads them.
        __syncthreads();

        OUTPUT* c = matrix_at(C, product.c, tile.batch_1, tile.batch_2) + tile.split * product.split_stride;
        Epilogue epilogue{c_operand, bias, scalars};
        epilogue.enter_batch(tile.batch_1, tile.batch_2);
        OUTPUT* staged = reinterpret_cast<OUTPUT*>(stages);
        OUTPUT* c_tile = c + tile.row * product.c.row + tile.column * product.c.column;
        // Each line is staged as far past a 16-byte boundary as it lies in C, so that whole vectors are stored.
#pragma unroll
        for (int i = 0; i < WARP_M / 16; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                int y = warp_row + 16 * i + lane / 4 + half * 8, row = tile.row + y;
                int past = C_BY_LINES == 1 ? elements_past_boundary(c_tile + y * product.c.row) : 0;
#pragma unroll
                for (int j = 0; j < WARP_N / 8; ++j) {
                    // Two neighbours of a row.
                    int x = warp_column + 8 * j + lane % 4 * 2, column = tile.column + x;
                    float results[2];
#pragma unroll
                    for (int part = 0; part < 2; ++part)
                        results[part] = row < m && column + part < n
                                            ? epilogue(sums[i][j][2 * half + part], row, column + part)
                                            : 0.0f;
                    if constexpr (C_BY_LINES == 1)
                        put_pair(staged + y * STAGED_PITCH<BLOCK_N> + past + x, past % 2 == 0, results[0], results[1]);
#pragma unroll
                    for (int part = 0; part < 2; ++part)
                        if (C_BY_LINES == 2) {
                            int at = elements_past_boundary(c_tile + (x + part) * product.c.column) + y;
                            round_into(staged[(x + part) * STAGED_PITCH<BLOCK_M> + at], results[part]);
                        } else if (C_BY_LINES == 0 && row < m && column + part < n) {
                            round_into(c[row * product.c.row + (column + part) * product.c.column], results[part]);
                        }
                }
            }
        if constexpr (C_BY_LINES != 0) {
            __syncthreads();
            const bool rows = C_BY_LINES == 1;
            store_lines<rows ? BLOCK_M : BLOCK_N, rows ? BLOCK_N : BLOCK_M, THREADS>(
                c_tile, rows ? product.c.row : product.c.column, staged, rows ? m - tile.row : n - tile.column,
                rows ? n - tile.column : m - tile.row);
            __syncthreads();
        }
    }
}
