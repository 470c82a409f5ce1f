// Products of float32 matrices on the CUDA cores: each thread has up to 16 x 8 sums, which are fused multiply-adds.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), any m, n, k from 0 up, any strides, up to two batch extents.
// Launch: WARPS_M x WARPS_N warps; a line of blocks that take tiles of C in turn, or share them (stream_k.cuh); STAGES
//         tiles of A and B in dynamic shared memory.
// Seeds:  000 and 004 (tiles with guards), 001 (barriers between loading and computing).
// New:    of 16 x 8 sums a thread loads 24 operands for 128 multiply-adds, 4 at once. It loads those of the next inner
//         index while it multiplies, across barriers too. A tile is laid out line by line of k, whichever way it lies
//         in memory (copied_tile.cuh).
// Next:   none on the CUDA cores: what is left is which instructions the compiler puts between the multiply-adds.
//
// Macros: those of epilogue.cuh, of which SUM, ELEMENT and OUTPUT are float; BLOCK_K, WARPS_M, WARPS_N, THREAD_M,
// THREAD_N (a warp has 4 x 8 threads), STAGES, BLOCKS_PER_SM, UNROLL (inner indices a turn of the loop); A_K_MAJOR,
// B_K_MAJOR: 1 where k is contiguous in memory; A_VECTOR, B_VECTOR: the elements of one copy, 4, 2 or 1 (1 also along
// k, and where no dimension is contiguous); A_PARTIAL, B_PARTIAL: 1 where the last copy along a line lies outside in
// part; STREAM_K (stream_k.cuh); STORE (store_some.cuh).

#define ELEMENT float
#define OUTPUT float
#define SUM float
#define EXACT_ACTIVATION 1
#include "device/epilogue/store_rows.cuh"
#include "device/epilogue/store_some.cuh"

#ifndef WARPS_M
#define BLOCK_K 16
#define WARPS_M 2
#define WARPS_N 4
#define THREAD_M 16
#define THREAD_N 8
#define STAGES 4
#define BLOCKS_PER_SM 1
#define UNROLL 8
#define A_K_MAJOR 1
#define B_K_MAJOR 0
#define A_VECTOR 1
#define B_VECTOR 4
#endif
#ifndef A_PARTIAL
#define A_PARTIAL 0
#endif
#ifndef B_PARTIAL
#define B_PARTIAL 0
#endif
#include "device/memory/copied_tile.cuh"
#include "device/memory/stream_k.cuh"

constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int WARP_M = 4 * THREAD_M, WARP_N = 8 * THREAD_N;
constexpr int BLOCK_M = WARPS_M * WARP_M, BLOCK_N = WARPS_N * WARP_N;
static_assert(THREAD_M % 4 == 0 && THREAD_N % 4 == 0, "operands are loaded 4 at once");
static_assert(BLOCK_K % UNROLL == 0 && UNROLL % 2 == 0, "registers take turns");

// Where a tile's elements lie in shared memory. What is copied along k is stored across lines: four of 8 inner indices
// meet no bank twice.
template <int LINES, int K_MAJOR> struct Place {
    static constexpr int PITCH = LINES + (K_MAJOR ? 4 : 0), ELEMENTS = BLOCK_K * PITCH;
    __device__ __forceinline__ static int of(int line, int inner) { return inner * PITCH + line; }
};
using PlaceA = Place<BLOCK_M, A_K_MAJOR>;
using PlaceB = Place<BLOCK_N, B_K_MAJOR>;
using TileA = CopiedTile<float, BLOCK_M, BLOCK_K, A_K_MAJOR, A_VECTOR, A_K_MAJOR ? 8 : BLOCK_M, THREADS,
                         A_PARTIAL>;
using TileB = CopiedTile<float, BLOCK_N, BLOCK_K, B_K_MAJOR, B_VECTOR, B_K_MAJOR ? 8 : BLOCK_N, THREADS,
                         B_PARTIAL>;
static_assert(!(A_K_MAJOR && A_VECTOR > 1) && !(B_K_MAJOR && B_VECTOR > 1), "neighbours along k go to several lines");

constexpr int STAGE_ELEMENTS = PlaceA::ELEMENTS + PlaceB::ELEMENTS;
static_assert(STAGES >= 2 && STAGES * STAGE_ELEMENTS * 4 <= MOST_SHARED_BYTES, "stages fit a block");
using Staged = StagedRows<WARP_N, 4>;
static_assert(WARPS_M * WARPS_N * Staged::ELEMENTS <= STAGES * STAGE_ELEMENTS, "results pass through the stages");

// The lanes of a warp are 4 x 8, numbered so that each load of 16 bytes a thread takes two turns, not four: lanes 1
// apart, or 2 apart, load the same.
__device__ __forceinline__ int lane_row() { return threadIdx.x % 2 + threadIdx.x % 32 / 16 * 2; }
__device__ __forceinline__ int lane_column() { return threadIdx.x / 2 % 8; }
__device__ __forceinline__ int first_row() { return threadIdx.x / 32 / WARPS_N * WARP_M + 4 * lane_row(); }
__device__ __forceinline__ int first_column() { return threadIdx.x / 32 % WARPS_N * WARP_N + 4 * lane_column(); }

// What a thread multiplies for one inner index: four rows of every 16, four columns of every 32.
struct Operands {
    alignas(16) float a[THREAD_M];
    alignas(16) float b[THREAD_N];

    __device__ __forceinline__ void load(const float* from_a, const float* from_b, int inner)
    {
#pragma unroll
        for (int i = 0; i < THREAD_M; i += 4)
            *reinterpret_cast<float4*>(a + i) =
                *reinterpret_cast<const float4*>(from_a + inner * PlaceA::PITCH + 4 * i);
#pragma unroll
        for (int j = 0; j < THREAD_N; j += 4)
            *reinterpret_cast<float4*>(b + j) =
                *reinterpret_cast<const float4*>(from_b + inner * PlaceB::PITCH + 8 * j);
    }
};

struct Sums {
    static constexpr int COUNT = THREAD_M * THREAD_N;
    float of[THREAD_M][THREAD_N] = {};

    __device__ __forceinline__ float& at(int i) { return of[i / THREAD_N][i % THREAD_N]; }

    // Every other row is walked backwards, so that all neighbouring multiply-adds share an operand: of large products,
    // which the chip's power limits, an H200 takes 1.2 % less time.
    __device__ __forceinline__ void add(const Operands& now)
    {
#pragma unroll
        for (int i = 0; i < THREAD_M; ++i)
#pragma unroll
            for (int step = 0; step < THREAD_N; ++step) {
                int j = i % 2 ? THREAD_N - 1 - step : step;
                of[i][j] = fmaf(now.a[i], now.b[j], of[i][j]);
            }
    }
};

// Four sums on their way out. While they are added to, neighbouring registers are no place for them: one multiply-add
// in eleven has its three operands in one bank (seen in the machine code of nvcc 13.5). The compiler cannot know that
// blockIdx.y is 0, so these are other registers.
__device__ __forceinline__ float4 leaving(const float* sums)
{
    float4 four;
    four.x = __uint_as_float(__float_as_uint(sums[0]) | blockIdx.y);
    four.y = __uint_as_float(__float_as_uint(sums[1]) | blockIdx.y);
    four.z = __uint_as_float(__float_as_uint(sums[2]) | blockIdx.y);
    four.w = __uint_as_float(__float_as_uint(sums[3]) | blockIdx.y);
    return four;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    matmul_cuda_cores_float32(const float* A, const float* B, float* C, const COperandElement* c_operand,
                              const BiasElement* bias, SealedWord* workspace,
                              const __grid_constant__ SplitProduct product, const __grid_constant__ SharedTiles shared,
                              const __grid_constant__ EpilogueScalars scalars)
{
    extern __shared__ __align__(16) unsigned char stages[];
    float* first_stage = reinterpret_cast<float*>(stages);
    const int m = product.m, n = product.n;

    wait_for_previous_kernel();
    long long layers = product.batches * product.splits;
    __shared__ int steps_left;
    for (Segments segments(shared, steps_left); segments.any(); segments.go_on()) {
        // Wait until nobody reads the stages that the segment before took.
        wait_for_copies<0>();
        __syncthreads();
        Segment segment = segments.now();
        Layer layer(product, tile_at<BLOCK_M, BLOCK_N>(segment.tile, m, n, layers));
        if (STREAM_K)
            layer.keep(segment.first * BLOCK_K, segment.end * BLOCK_K);
        CopiedStage<TileA, TileB, PlaceA, PlaceB> next(A, B, product, layer);
        for (int stage = 0; stage < STAGES - 1; ++stage)
            next.copy(first_stage + stage * STAGE_ELEMENTS);
        wait_for_copies<STAGES - 2>();
        __syncthreads();

        Sums sums;
        Operands now[2];
        int to = STAGES - 1, from = 0;
        const float* from_a = first_stage + first_row();
        const float* from_b = first_stage + PlaceA::ELEMENTS + first_column();
        now[0].load(from_a, from_b, 0);
        for (int left = layer.inners; left > 0; left -= BLOCK_K) {
            next.copy(first_stage + to * STAGE_ELEMENTS);
            to = to == STAGES - 1 ? 0 : to + 1;
#pragma unroll 1
            for (int first = 0; first < BLOCK_K; first += UNROLL) {
#pragma unroll
                for (int inner = 0; inner < UNROLL; ++inner) {
                    int after = first + inner + 1;
                    if (inner == UNROLL - 1 && after == BLOCK_K) {
                        // Wait until the next stage is complete, and until nobody reads this one, replaced next.
                        wait_for_copies<STAGES - 2>();
                        __syncthreads();
                        from = from == STAGES - 1 ? 0 : from + 1;
                        from_a = first_stage + from * STAGE_ELEMENTS + first_row();
                        from_b = first_stage + from * STAGE_ELEMENTS + PlaceA::ELEMENTS + first_column();
                        after = 0;
                    }
                    now[(inner + 1) % 2].load(from_a, from_b, after);
                    sums.add(now[inner % 2]);
                }
            }
        }

        if (STREAM_K) {
            segment = segments.now();
            layer = Layer(product, tile_at<BLOCK_M, BLOCK_N>(segment.tile, m, n, layers));
        }
        if (!segments.complete<float, THREADS, 8>(segment, sums, workspace))
            continue;
        float* c = matrix_at(C, product.c, layer.batch_1, layer.batch_2) + layer.split * product.split_stride;
        Epilogue epilogue{c_operand, bias, scalars};
        epilogue.enter_batch(layer.batch_1, layer.batch_2);
        if constexpr (STORE == BY_ROWS) {
            wait_for_copies<0>();
            __syncthreads();
            float* staged = first_stage + threadIdx.x / 32 * Staged::ELEMENTS;
            int row = layer.row + threadIdx.x / 32 / WARPS_N * WARP_M;
            int column = layer.column + threadIdx.x / 32 % WARPS_N * WARP_N;
#pragma unroll
            for (int i = 0; i < THREAD_M; i += 4) {
#pragma unroll
                for (int x = 0; x < 4; ++x)
#pragma unroll
                    for (int j = 0; j < THREAD_N; j += 4)
                        *reinterpret_cast<float4*>(staged + (4 * lane_row() + x) * Staged::PITCH + 4 * lane_column() +
                                                   8 * j) = leaving(&sums.of[i + x][j]);
                Staged::store(c, product.c, epilogue, staged, row + 4 * i, column, m, n);
            }
        }
#pragma unroll
        for (int i = 0; i < THREAD_M && STORE != BY_ROWS; ++i)
#pragma unroll
            for (int j = 0; j < THREAD_N; j += 4) {
                float4 four = leaving(&sums.of[i][j]);
                store_some(c, product.c, epilogue, STORE == BY_VECTORS ? &four.x : &sums.of[i][j],
                           layer.row + first_row() + i / 4 * 16 + i % 4, layer.column + first_column() + 8 * j, m, n);
            }
    }
}
