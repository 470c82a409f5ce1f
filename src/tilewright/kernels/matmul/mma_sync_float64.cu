// Products of float64 matrices on the tensor cores by mma.sync, from compute capability 8.0 on.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), any m, n, k from 0 up, any strides, up to two batch extents.
// Launch: WARPS_M x WARPS_N warps; a line of blocks that take tiles of C in turn; STAGES tiles of A and B in dynamic
//         shared memory.
// Seeds:  000 and 004 (tiles with guards), 001 (barriers between loading and computing).
// New:    a warp multiplies 16 x 8 by 8 x 8 elements in one instruction, which rounds as a chain of fused multiply-adds
//         does. What it multiplies next is loaded into registers while it multiplies, across barriers too.
// Next:   wgmma has no float64. The copy engine could load for all threads.
//
// Macros: those of epilogue.cuh, of which SUM, ELEMENT and OUTPUT are double; BLOCK_M, BLOCK_N, BLOCK_K, WARPS_M,
// WARPS_N, STAGES, BLOCKS_PER_SM; A_K_MAJOR, B_K_MAJOR: 1 where k is contiguous in memory; A_VECTOR, B_VECTOR: the
// elements of one copy, 2 or 1 (1 also where no dimension is contiguous); STORE (store_some.cuh).
// Source: PTX ISA, section on the fragments of mma.m16n8k8 for .f64.

#define ELEMENT double
#define OUTPUT double
#define SUM double
#define EXACT_ACTIVATION 1
#include "device/epilogue/store_rows.cuh"
#include "device/epilogue/store_some.cuh"

#ifndef BLOCK_M
#define BLOCK_M 128
#define BLOCK_N 128
#define BLOCK_K 16
#define WARPS_M 2
#define WARPS_N 4
#define STAGES 6
#define BLOCKS_PER_SM 1
#define A_K_MAJOR 1
#define B_K_MAJOR 0
#define A_VECTOR 2
#define B_VECTOR 2
#endif
#include "device/memory/copied_tile.cuh"
#include "device/mma/mma_float64.cuh"

constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int WARP_M = BLOCK_M / WARPS_M, WARP_N = BLOCK_N / WARPS_N;
constexpr int STEP = 8; // of the inner index, in an instruction
constexpr int STEPS = BLOCK_K / STEP;
// In which order the compiler leaves some products behind the barrier, to multiply while the next ones are loaded.
constexpr bool COPIES_FIRST = A_VECTOR == 1 || B_VECTOR == 1;
static_assert(WARP_M % 16 == 0 && WARP_N % 16 == 0 && BLOCK_K % 16 == 0, "a warp multiplies 16 x 8 by 8 x 16");

// Where a tile's elements lie in shared memory, so that sixteen threads that load 8 bytes each meet no bank twice: they
// take four lines and four inner indices. Lines of neighbours along k take turns in which four of these come first.
template <int LINES, int K_MAJOR> struct Place {
    static constexpr int PITCH = LINES + 4, ELEMENTS = K_MAJOR ? LINES * BLOCK_K : BLOCK_K * PITCH;
    __device__ __forceinline__ static int of(int line, int inner)
    {
        return K_MAJOR ? line * BLOCK_K + (inner ^ line % 4 * 4) : inner * PITCH + line;
    }
};
using PlaceA = Place<BLOCK_M, A_K_MAJOR>;
using PlaceB = Place<BLOCK_N, B_K_MAJOR>;
using TileA = CopiedTile<double, BLOCK_M, BLOCK_K, A_K_MAJOR, A_VECTOR, A_K_MAJOR ? BLOCK_K : BLOCK_M, THREADS>;
using TileB = CopiedTile<double, BLOCK_N, BLOCK_K, B_K_MAJOR, B_VECTOR, B_K_MAJOR ? BLOCK_K : BLOCK_N, THREADS>;

constexpr int STAGE_ELEMENTS = PlaceA::ELEMENTS + PlaceB::ELEMENTS;
static_assert(STAGES >= 2 && STAGES * STAGE_ELEMENTS * 8 <= MOST_SHARED_BYTES, "stages fit a block");
using Staged = StagedRows<WARP_N, 8>;
static_assert(WARPS_M * WARPS_N * Staged::ELEMENTS <= STAGES * STAGE_ELEMENTS, "results pass through the stages");

// What a warp multiplies in one step. Thread 4 g + t has inner indices t and t + 4 of lines g, g + 8 and so on.
struct Fragments {
    double a[WARP_M / 16][2][2], b[WARP_N / 8][2]; // [inner index], of A two lines each

    __device__ __forceinline__ void load(const double* stage, int step)
    {
        int warp_row = threadIdx.x / 32 / WARPS_N * WARP_M, warp_column = threadIdx.x / 32 % WARPS_N * WARP_N;
        int line = threadIdx.x % 32 / 4, inner = step * STEP + threadIdx.x % 4;
#pragma unroll
        for (int i = 0; i < WARP_M / 16; ++i)
#pragma unroll
            for (int part = 0; part < 4; ++part)
                a[i][part / 2][part % 2] =
                    stage[PlaceA::of(warp_row + line + 16 * i + part % 2 * 8, inner + part / 2 * 4)];
#pragma unroll
        for (int j = 0; j < WARP_N / 8; ++j)
#pragma unroll
            for (int part = 0; part < 2; ++part)
                b[j][part] = stage[PlaceA::ELEMENTS + PlaceB::of(warp_column + line + 8 * j, inner + part * 4)];
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    matmul_mma_sync_float64(const double* A, const double* B, double* C, const COperandElement* c_operand,
                            const BiasElement* bias, const __grid_constant__ SplitProduct product,
                            const __grid_constant__ EpilogueScalars scalars)
{
    extern __shared__ __align__(16) unsigned char stages[];
    double* first_stage = reinterpret_cast<double*>(stages);
    const int m = product.m, n = product.n;
    int lane = threadIdx.x % 32;
    int warp_row = threadIdx.x / 32 / WARPS_N * WARP_M, warp_column = threadIdx.x / 32 % WARPS_N * WARP_N;

    wait_for_previous_kernel();
    long long layers = product.batches * product.splits;
    for (long long index = blockIdx.x; index < tiles_of<BLOCK_M, BLOCK_N>(m, n, layers); index += gridDim.x) {
        Layer layer(product, tile_at<BLOCK_M, BLOCK_N>(index, m, n, layers));
        CopiedStage<TileA, TileB, PlaceA, PlaceB> next(A, B, product, layer);
        for (int stage = 0; stage < STAGES - 1; ++stage)
            next.copy(first_stage + stage * STAGE_ELEMENTS);
        wait_for_copies<STAGES - 2>();
        __syncthreads();

        double sums[WARP_M / 16][WARP_N / 8][4] = {};
        Fragments now[2];
        int from = 0, to = STAGES - 1;
        now[0].load(first_stage, 0);
        for (int left = layer.inners; left > 0; left -= BLOCK_K) {
#pragma unroll
            for (int step = 0; step < STEPS; ++step) {
                if (step == STEPS - 1) {
                    // Wait until the next stage is complete, and until nobody reads this one, which is replaced next.
                    wait_for_copies<STAGES - 2>();
                    __syncthreads();
                    from = from == STAGES - 1 ? 0 : from + 1;
                }
                if (step == 0 && COPIES_FIRST)
                    next.copy(first_stage + to * STAGE_ELEMENTS);
                now[(step + 1) % 2].load(first_stage + from * STAGE_ELEMENTS, (step + 1) % STEPS);
#pragma unroll
                for (int i = 0; i < WARP_M / 16; ++i)
#pragma unroll
                    for (int j = 0; j < WARP_N / 8; ++j)
                        multiply_add(sums[i][j], now[step % 2].a[i], now[step % 2].b[j]);
                if (step == 0 && !COPIES_FIRST)
                    next.copy(first_stage + to * STAGE_ELEMENTS);
            }
            to = to == STAGES - 1 ? 0 : to + 1;
        }

        OUTPUT* c = matrix_at(C, product.c, layer.batch_1, layer.batch_2) + layer.split * product.split_stride;
        Epilogue epilogue{c_operand, bias, scalars};
        epilogue.enter_batch(layer.batch_1, layer.batch_2);
        if constexpr (STORE == BY_ROWS) {
            wait_for_copies<0>();
            __syncthreads();
            double* staged = first_stage + threadIdx.x / 32 * Staged::ELEMENTS;
#pragma unroll
            for (int i = 0; i < WARP_M / 16; ++i) {
#pragma unroll
                for (int j = 0; j < WARP_N / 8; ++j)
#pragma unroll
                    for (int half = 0; half < 2; ++half)
                        *reinterpret_cast<double2*>(staged + (8 * half + lane / 4) * Staged::PITCH + 8 * j +
                                                    lane % 4 * 2) =
                            make_double2(sums[i][j][2 * half], sums[i][j][2 * half + 1]);
                Staged::store(c, product.c, epilogue, staged, layer.row + warp_row + 16 * i, layer.column + warp_column,
                              m, n);
            }
        }
#pragma unroll
        for (int i = 0; i < WARP_M / 16 && STORE != BY_ROWS; ++i)
#pragma unroll
            for (int j = 0; j < WARP_N / 8; ++j)
#pragma unroll
                for (int half = 0; half < 2; ++half)
                    store_some(c, product.c, epilogue, &sums[i][j][2 * half],
                               layer.row + warp_row + 16 * i + 8 * half + lane / 4,
                               layer.column + warp_column + 8 * j + lane % 4 * 2, m, n);
        // The next tile of C takes the stages: wait until nobody reads them.
        wait_for_copies<0>();
        __syncthreads();
    }
}
