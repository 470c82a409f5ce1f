// Products of 16-bit matrices on the tensor cores by mma.sync: every chip from compute capability 7.5 on has it.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), any m, n, k from 0 up, any strides, up to two batch extents.
// Launch: WARPS_M x WARPS_N warps; a line of blocks that take tiles of C in turn; STAGES tiles of A and B in dynamic
//         shared memory.
// Seeds:  000 and 004 (tiles with guards), 001 (barriers between loading and computing).
// New:    a warp multiplies 16 x 16 by 16 x 8 elements in one instruction. While it does, the next tiles are on their
//         way: cp.async copies 4, 8 or 16 bytes past the registers (from 8.0 on), a load of its own brings what is
//         narrower, and both write 0 for what lies outside.
// Next:   the sm_90a kernels let the copy engine load and a whole warpgroup multiply.
//
// Macros: ELEMENT (__half, __nv_bfloat16), OUTPUT (ELEMENT or float); those of epilogue.cuh; BLOCK_M, BLOCK_N, BLOCK_K,
// WARPS_M, WARPS_N, STAGES; A_K_MAJOR, B_K_MAJOR: 1 where k is contiguous, in global and in shared memory; A_VECTOR,
// B_VECTOR: the elements of one load, 8 to 1 (1 also where no dimension is contiguous); A_SHIFTED, B_SHIFTED: 1 where
// vectors begin at any address and are assembled from two aligned ones; C_BY_LINES: 1 where rows
// of C are contiguous, 2 where columns are: C passes through shared memory; 0 where neither are.

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
#define A_K_MAJOR 1
#define B_K_MAJOR 0
#define A_VECTOR 8
#define B_VECTOR 8
#define A_SHIFTED 0
#define B_SHIFTED 0
#define C_BY_LINES 0
#endif
#include "device/memory/shared_tile.cuh"
#include "device/memory/rasterization.cuh"
#include "device/mma/mma_sync.cuh"

constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int WARP_M = BLOCK_M / WARPS_M, WARP_N = BLOCK_N / WARPS_N;
static_assert(WARP_M % 16 == 0 && WARP_N % 16 == 0 && BLOCK_K % 16 == 0, "a warp multiplies 16 x 16 by 16 x 16");

using TileA = SharedTile<BLOCK_M, BLOCK_K, A_K_MAJOR, A_VECTOR, A_SHIFTED, THREADS>;
using TileB = SharedTile<BLOCK_N, BLOCK_K, B_K_MAJOR, B_VECTOR, B_SHIFTED, THREADS>;

// The stages, where C passes too, rows or columns first.
constexpr int STAGE_BYTES = (TileA::ELEMENTS + TileB::ELEMENTS) * 2;
constexpr int C_BYTES = (BLOCK_M * BLOCK_N + PADDING * (BLOCK_M > BLOCK_N ? BLOCK_M : BLOCK_N)) * 2;
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

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    matmul_mma_sync(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, const COperandElement* c_operand,
                    const BiasElement* bias, const __grid_constant__ StridedProduct product,
                    const __grid_constant__ EpilogueScalars scalars)
{
    extern __shared__ __align__(16) unsigned char stages[];
    ELEMENT* stage_a = reinterpret_cast<ELEMENT*>(stages);
    ELEMENT* stage_b = stage_a + STAGES * TileA::ELEMENTS;
    const int m = product.m, n = product.n, k = product.k;
    int phases = static_cast<int>((static_cast<long long>(k) + BLOCK_K - 1) / BLOCK_K);
    int lane = threadIdx.x % 32;
    int warp_row = threadIdx.x / 32 / WARPS_N * WARP_M, warp_column = threadIdx.x / 32 % WARPS_N * WARP_N;

    wait_for_previous_kernel();
    for (long long index = blockIdx.x; index < tiles_of<BLOCK_M, BLOCK_N>(m, n, product.batches); index += gridDim.x) {
        Tile tile = tile_at<BLOCK_M, BLOCK_N>(index, m, n, product.batches_1);
        const ELEMENT* a = matrix_at(A, product.a, tile.batch_1, tile.batch_2);
        const ELEMENT* b = matrix_at(B, product.b, tile.batch_1, tile.batch_2);
        TileA loads_a{a, product.a.row, product.a.column, tile.row, m, k};
        TileB loads_b{b, product.b.column, product.b.row, tile.column, n, k};

        // Fill all stages but one.
        for (int phase = 0; phase < STAGES - 1; ++phase) {
            loads_a.fetch(stage_a + phase * TileA::ELEMENTS, phase * BLOCK_K);
            loads_b.fetch(stage_b + phase * TileB::ELEMENTS, phase * BLOCK_K);
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
                loads_a.fetch(stage_a + to * TileA::ELEMENTS, next * BLOCK_K);
                loads_b.fetch(stage_b + to * TileB::ELEMENTS, next * BLOCK_K);
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

        OUTPUT* c = matrix_at(C, product.c, tile.batch_1, tile.batch_2);
        Epilogue epilogue{c_operand, bias, scalars};
        epilogue.enter_batch(tile.batch_1, tile.batch_2);
        OUTPUT* staged = reinterpret_cast<OUTPUT*>(stages);
        for (int i = 0; i < WARP_M / 16; ++i)
            for (int j = 0; j < WARP_N / 8; ++j)
                for (int part = 0; part < 4; ++part) {
                    int y = warp_row + 16 * i + lane / 4 + part / 2 * 8, row = tile.row + y;
                    int x = warp_column + 8 * j + lane % 4 * 2 + part % 2, column = tile.column + x;
                    if (row >= m || column >= n)
                        continue;
                    float result = epilogue(sums[i][j][part], row, column);
                    if (C_BY_LINES == 0)
                        round_into(c[row * product.c.row + column * product.c.column], result);
                    else
                        round_into(
                            staged[C_BY_LINES == 1 ? y * (BLOCK_N + PADDING) + x : x * (BLOCK_M + PADDING) + y],
                            result);
                }
        if constexpr (C_BY_LINES != 0) {
            __syncthreads();
            const bool rows = C_BY_LINES == 1;
            store_lines<rows ? BLOCK_M : BLOCK_N, rows ? BLOCK_N : BLOCK_M, THREADS>(
                c + tile.row * product.c.row + tile.column * product.c.column, rows ? product.c.row : product.c.column,
                staged, rows ? m - tile.row : n - tile.column, rows ? n - tile.column : m - tile.row);
            __syncthreads();
        }
    }
}
