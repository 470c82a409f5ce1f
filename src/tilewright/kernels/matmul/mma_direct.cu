// Small products of 16-bit matrices: what the tensor cores multiply is loaded straight from global memory into their
// registers, and the warps of a block share k.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), any m, n, k from 1 up, any strides, up to two batch extents; offsets
//         along k fit 32 bits.
// The idea: a tile in shared memory pays where its numbers are used often. A small product takes about as long as a
//         trip to memory, and each barrier between trips makes it longer: so every warp asks for all of its numbers at
//         once, and the only barrier is the one before the sums of the warps are added.
// Launch: blockIdx.x, y and z are the tile of C along n, along m, and the product of the batch; WARPS warps, each of
//         which multiplies its share of the inner indices for all BLOCK_M x BLOCK_N results.
// Seeds:  000 (what shared memory is for, by what happens without it), 004 (guards; sums added through shared memory).
// New:    fragments without ldmatrix; k shared by the warps of a block, whose sums meet once, in a fixed order.
// Next:   mma_sync.cu, for products whose tiles are used often.
//
// Macros: ELEMENT (__half, __nv_bfloat16), OUTPUT (ELEMENT or float); those of epilogue.cuh; BLOCK_M, BLOCK_N, WARPS;
// STEPS: how often 16 inner indices are loaded before they are multiplied; A_LOADS, B_LOADS, K_RUN: of
// direct_fragments.cuh;
// C_COLUMNS_FIRST: 1 where columns of C are contiguous.

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef OUTPUT
#define OUTPUT ELEMENT
#endif
#include "device/epilogue/epilogue.cuh"

#ifndef BLOCK_M
#define BLOCK_M 32
#define BLOCK_N 32
#define WARPS 4
#define STEPS 2
#define K_RUN 2
#define A_LOADS 0
#define B_LOADS 0
#define C_COLUMNS_FIRST 0
#endif
#include "device/mma/direct_fragments.cuh"
#include "device/mma/mma_sync.cuh"

constexpr int THREADS = 32 * WARPS;
static_assert(STEPS % STEPS_OF_LOAD == 0, "a load has whole steps");
static_assert(BLOCK_M % 16 == 0 && BLOCK_N % 16 == 0, "a warp multiplies 16 x 16 by 16 x 16");

// Rows of this many sums begin in different banks.
constexpr int PITCH = BLOCK_N + PADDING;
constexpr int SUMS_OF_WARP = BLOCK_M * PITCH;

using Sums = float[BLOCK_M / 16][BLOCK_N / 8][4];

// Multiply a warp's part of the inner indices: every WARPS-th run of 16 x STEPS of them.
__device__ __forceinline__ void multiply(const ELEMENT* a, const ELEMENT* b, const StridedProduct& product, int row,
                                         int column, Sums& sums)
{
    constexpr int RUN = 16 * STEPS;
    const int k = product.k;
    const int a_inner_stride = static_cast<int>(product.a.column), b_inner_stride = static_cast<int>(product.b.row);
    for (int first = threadIdx.x / 32 * RUN; first < k; first += WARPS * RUN) {
        unsigned of_a[BLOCK_M / 16][STEPS][2][2], of_b[BLOCK_N / 16][STEPS][2][2];
#pragma unroll
        for (int i = 0; i < BLOCK_M / 16; ++i) {
            DirectLines<A_LOADS> lines(a, product.a.row, a_inner_stride, row + 16 * i, product.m);
#pragma unroll
            for (int step = 0; step < STEPS; step += STEPS_OF_LOAD)
                lines.load(of_a[i] + step, first + 16 * step, k);
        }
#pragma unroll
        for (int j = 0; j < BLOCK_N / 16; ++j) {
            DirectLines<B_LOADS> lines(b, product.b.column, b_inner_stride, column + 16 * j, product.n);
#pragma unroll
            for (int step = 0; step < STEPS; step += STEPS_OF_LOAD)
                lines.load(of_b[j] + step, first + 16 * step, k);
        }
#pragma unroll
        for (int step = 0; step < STEPS; ++step)
#pragma unroll
            for (int i = 0; i < BLOCK_M / 16; ++i) {
                const auto& words = of_a[i][step];
                unsigned fragment[4] = {words[0][0], words[1][0], words[0][1], words[1][1]};
#pragma unroll
                for (int j = 0; j < BLOCK_N / 8; ++j)
                    multiply_add(sums[i][j], fragment, of_b[j / 2][step][j % 2]);
            }
    }
}

// A warp's sums to shared memory, two neighbours of a row at once, wherever the loads have put their columns.
__device__ __forceinline__ void put_sums(float* to, const Sums& sums)
{
    constexpr bool ACROSS = B_LOADS == LOADS_ACROSS;
    const int quad = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < BLOCK_M / 16; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float* line = to + (16 * i + DirectLines<A_LOADS>::at(half)) * PITCH;
#pragma unroll
            for (int j = 0; j < BLOCK_N / 8; ++j) {
                int column = ACROSS ? j / 2 * 16 + quad * 4 + j % 2 * 2 : j * 8 + quad * 2;
                float first = ACROSS ? sums[i][j / 2 * 2][2 * half + j % 2] : sums[i][j][2 * half];
                float second = ACROSS ? sums[i][j / 2 * 2 + 1][2 * half + j % 2] : sums[i][j][2 * half + 1];
                *reinterpret_cast<float2*>(line + column) = make_float2(first, second);
            }
        }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_mma_direct(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, const COperandElement* c_operand,
                      const BiasElement* bias, const __grid_constant__ StridedProduct product,
                      const __grid_constant__ EpilogueScalars scalars)
{
    __shared__ __align__(16) float shared[WARPS * SUMS_OF_WARP];
    const int row = blockIdx.y * BLOCK_M, column = blockIdx.x * BLOCK_N;
    const unsigned batches_1 = static_cast<unsigned>(product.batches_1);
    const unsigned batch_2 = blockIdx.z / batches_1, batch_1 = blockIdx.z - batch_2 * batches_1;

    wait_for_previous_kernel();
    Sums sums = {};
    multiply(matrix_at(A, product.a, batch_1, batch_2), matrix_at(B, product.b, batch_1, batch_2), product, row, column,
             sums);
    put_sums(shared + threadIdx.x / 32 * SUMS_OF_WARP, sums);
    // The sums of all warps are there.
    __syncthreads();

    // Add them in the order of the warps; neighbouring threads store neighbours in C.
    Epilogue epilogue{c_operand, bias, scalars};
    epilogue.enter_batch(batch_1, batch_2);
    OUTPUT* c = matrix_at(C, product.c, batch_1, batch_2);
#pragma unroll 2
    for (int index = threadIdx.x; index < BLOCK_M * BLOCK_N; index += THREADS) {
        int y = C_COLUMNS_FIRST ? index % BLOCK_M : index / BLOCK_N;
        int x = C_COLUMNS_FIRST ? index / BLOCK_M : index % BLOCK_N;
        if (row + y >= product.m || column + x >= product.n)
            continue;
        float sum = 0;
#pragma unroll
        for (int warp = 0; warp < WARPS; ++warp)
            sum += shared[warp * SUMS_OF_WARP + y * PITCH + x];
        round_into(c[(row + y) * product.c.row + (column + x) * product.c.column], epilogue(sum, row + y, column + x));
    }
}
