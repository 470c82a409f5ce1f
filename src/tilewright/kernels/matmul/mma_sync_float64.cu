// Products of float64 matrices on the tensor cores by mma.sync, from compute capability 8.0 on.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), any m, n, k from 0 up, any strides, up to two batch extents.
// Launch: WARPS_M x WARPS_N warps; a line of blocks that take tiles of C in turn, or share them (stream_k.cuh); STAGES
//         tiles of A and B in dynamic shared memory. A launch of whole tiles goes before one of shared tiles: where one
//         kernel has code for both, its loop takes 2 to 4 % longer on an H200, as ptxas allots registers.
// Seeds:  000 and 004 (tiles with guards), 001 (barriers between loading and computing), 003 (PAIR_SUMS).
// New:    a warp multiplies 16 x 8 by 8 x 8 elements in one instruction, which rounds as a chain of fused multiply-adds
//         does. What it multiplies next is loaded into registers while it multiplies, across barriers too.
//         A reduced product (PAIR_SUMS) adds two rows of A, and two columns of B, as they leave shared memory.
// Next:   wgmma has no float64. The copy engine could load for all threads.
//
// Macros: those of epilogue.cuh, of which SUM, ELEMENT and OUTPUT are double; BLOCK_M, BLOCK_N, BLOCK_K, WARPS_M,
// WARPS_N, STAGES, BLOCKS_PER_SM; A_K_MAJOR, B_K_MAJOR: 1 where k is contiguous in memory; A_VECTOR, B_VECTOR: the
// elements of one copy, 2 or 1 (1 also where no dimension is contiguous); A_PARTIAL, B_PARTIAL: 1 where the last copy
// along a line lies outside in part; STORE (store_some.cuh); STREAM_K (stream_k.cuh); STAYS: 1 where a block takes
// several tiles of C, and copies the next ones while it stores this one (k is 1 at least); PAIR_SUMS: 1 for reduced
// products, C[i, j] = sum over p of (A[2i, p] + A[2i+1, p]) * (B[p, 2j] + B[p, 2j+1]), of which m and n count C's rows
// and columns.
// Parameters: map_c, of boxes of C, where STORE is BY_BOXES.
// Source: PTX ISA, section on the fragments of mma.m16n8k8 for .f64.

#define ELEMENT double
#define OUTPUT double
#define SUM double
#define EXACT_ACTIVATION 1
#include "device/epilogue/store_rows.cuh"
#include "device/epilogue/store_some.cuh"
#if STORE == BY_BOXES
#include "device/epilogue/store_boxes.cuh"
#endif

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
#ifndef A_PARTIAL
#define A_PARTIAL 0
#endif
#ifndef B_PARTIAL
#define B_PARTIAL 0
#endif
#ifndef STAYS
#define STAYS 0
#endif
#ifndef PAIR_SUMS
#define PAIR_SUMS 0
#endif
#include "device/memory/copied_tile.cuh"
#include "device/memory/stream_k.cuh"
#include "device/mma/mma_float64.cuh"

constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int WARP_M = BLOCK_M / WARPS_M, WARP_N = BLOCK_N / WARPS_N;
constexpr int STEP = 8; // of the inner index, in an instruction
constexpr int STEPS = BLOCK_K / STEP;
// In which order the compiler leaves some products behind the barrier, to multiply while the next ones are loaded.
constexpr bool COPIES_FIRST = A_VECTOR == 1 || B_VECTOR == 1;
static_assert(WARP_M % 16 == 0 && WARP_N % 16 == 0 && BLOCK_K % 16 == 0, "a warp multiplies 16 x 8 by 8 x 16");

// The instruction multiplies 16 lines by 8: rows of A by columns of B, or, TURNED, columns of B by rows of A. Its
// registers hold two of 16 lines with one inner index, and of 8 lines two inner indices. SIDE_BY_SIDE, these two are
// neighbours in memory as well, and 16 bytes leave shared memory at once. Which lines and inner indices a thread takes
// is free, as long as A and B agree on k.
constexpr bool TURNED = A_K_MAJOR && !B_K_MAJOR;
constexpr bool SIDE_BY_SIDE = A_K_MAJOR != B_K_MAJOR;
constexpr int SIXTEENS = (TURNED ? WARP_N : WARP_M) / 16, EIGHTS = (TURNED ? WARP_M : WARP_N) / 8; // of a warp's lines

// Where a tile's elements lie in shared memory, so that threads that load at once meet no bank twice. Of two inner
// indices or lines side by side these are eight: two lines, or twos of lines, by four twos of inner indices, or single
// ones. Else they are sixteen, four lines by four inner indices. Where k is contiguous, lines take turns in which inner
// indices come first. For PAIR_SUMS a line of the product is two of the tile, and two of them side by side take turns.
constexpr int LINES_OF_ONE = PAIR_SUMS ? 2 : 1;
template <int LINES, int K_MAJOR> struct Place {
    static constexpr int TILE_LINES = LINES_OF_ONE * LINES, PITCH = TILE_LINES + (SIDE_BY_SIDE ? 2 : 4);
    static constexpr int ELEMENTS = K_MAJOR ? TILE_LINES * BLOCK_K : BLOCK_K * PITCH;

    __device__ __forceinline__ static int of(int tile_line, int inner)
    {
        int line = tile_line / LINES_OF_ONE;
        if (K_MAJOR)
            return tile_line * BLOCK_K + (inner ^ (SIDE_BY_SIDE ? line % 2 * 8 : line % 4 * 4));
        return inner * PITCH + (tile_line ^ (PAIR_SUMS && SIDE_BY_SIDE ? inner / 2 % 2 * 2 : 0));
    }
    __device__ __forceinline__ static double2 two_elements(const double* tile, int tile_line, int inner)
    {
        return *reinterpret_cast<const double2*>(tile + of(tile_line, inner));
    }

    // What is multiplied of a line: its element, or the sum of its two.
    __device__ __forceinline__ static double one(const double* tile, int line, int inner)
    {
        if (!PAIR_SUMS)
            return tile[of(line, inner)];
        if (K_MAJOR)
            return tile[of(2 * line, inner)] + tile[of(2 * line + 1, inner)];
        double2 pair = two_elements(tile, 2 * line, inner);
        return pair.x + pair.y;
    }

    // The same of two inner indices side by side, or of two lines.
    __device__ __forceinline__ static double2 two(const double* tile, int line, int inner)
    {
        double2 first = two_elements(tile, LINES_OF_ONE * line, inner);
        if (!PAIR_SUMS)
            return first;
        double2 second = two_elements(tile, 2 * line + (K_MAJOR ? 1 : 2), inner);
        return K_MAJOR ? make_double2(first.x + second.x, first.y + second.y)
                       : make_double2(first.x + first.y, second.x + second.y);
    }
};
using PlaceA = Place<BLOCK_M, A_K_MAJOR>;
using PlaceB = Place<BLOCK_N, B_K_MAJOR>;
using PlaceSixteen = Place<TURNED ? BLOCK_N : BLOCK_M, TURNED ? B_K_MAJOR : A_K_MAJOR>;
using PlaceEight = Place<TURNED ? BLOCK_M : BLOCK_N, TURNED ? A_K_MAJOR : B_K_MAJOR>;
using TileA = CopiedTile<double, PlaceA::TILE_LINES, BLOCK_K, A_K_MAJOR, A_VECTOR,
                         A_K_MAJOR ? BLOCK_K : PlaceA::TILE_LINES, THREADS, A_PARTIAL>;
using TileB = CopiedTile<double, PlaceB::TILE_LINES, BLOCK_K, B_K_MAJOR, B_VECTOR,
                         B_K_MAJOR ? BLOCK_K : PlaceB::TILE_LINES, THREADS, B_PARTIAL>;

constexpr int STAGE_ELEMENTS = PlaceA::ELEMENTS + PlaceB::ELEMENTS;
constexpr int STAGED_PADDING = 8;
using Staged = StagedRows<WARP_N, STAGED_PADDING>;
// Results pass through the stages; where these hold the next tile, before them.
constexpr int STAGED_ELEMENTS = STORE == BY_BOXES ? BLOCK_M * BLOCK_N : WARPS_M * WARPS_N * Staged::ELEMENTS;
constexpr int STAGED_OF_WARP = STAGED_ELEMENTS / (WARPS_M * WARPS_N), ELEMENTS_BEFORE = STAYS ? STAGED_ELEMENTS : 0;
constexpr int SHARED_BYTES = 8 * (STAGES * STAGE_ELEMENTS + ELEMENTS_BEFORE);
static_assert(STAGES >= 2 && SHARED_BYTES <= MOST_SHARED_BYTES, "stages, and results before them, fit a block");
static_assert(STAYS || STAGED_ELEMENTS <= STAGES * STAGE_ELEMENTS, "results pass through the stages");
static_assert(STAYS || STORE != BY_BOXES, "only blocks that stay go on while the copy engine stores");
static_assert(!(STAYS && STREAM_K), "blocks that stay share no tiles");

// The lines of 16 and the inner indices of a step that thread 4 g + t takes: 2 g, 2 g + 1 and 2 t, 2 t + 1 side by
// side, else g, g + 8 and t, t + 4.
__device__ __forceinline__ int line_of(int part)
{
    int g = threadIdx.x % 32 / 4;
    return SIDE_BY_SIDE ? 2 * g + part : g + 8 * part;
}
__device__ __forceinline__ int inner_of(int part)
{
    int t = threadIdx.x % 4;
    return SIDE_BY_SIDE ? 2 * t + part : t + 4 * part;
}
__device__ __forceinline__ int warp_row() { return threadIdx.x / 32 / WARPS_N * WARP_M; }
__device__ __forceinline__ int warp_column() { return threadIdx.x / 32 % WARPS_N * WARP_N; }

// What a warp multiplies in one step.
struct Fragments {
    double sixteen[SIXTEENS][2][2], eight[EIGHTS][2]; // [inner index], of 16 two lines each

    __device__ __forceinline__ void load(const double* stage, int step)
    {
        const double* sixteens = stage + (TURNED ? PlaceA::ELEMENTS : 0);
        const double* eights = stage + (TURNED ? 0 : PlaceA::ELEMENTS);
        int first_sixteen = TURNED ? warp_column() : warp_row(), first_eight = TURNED ? warp_row() : warp_column();
#pragma unroll
        for (int i = 0; i < SIXTEENS; ++i)
#pragma unroll
            for (int part = 0; part < 2; ++part) {
                int line = first_sixteen + 16 * i, inner = step * STEP + inner_of(part);
                if constexpr (SIDE_BY_SIDE) {
                    double2 lines = PlaceSixteen::two(sixteens, line + line_of(0), inner);
                    sixteen[i][part][0] = lines.x, sixteen[i][part][1] = lines.y;
                } else
#pragma unroll
                    for (int half = 0; half < 2; ++half)
                        sixteen[i][part][half] = PlaceSixteen::one(sixteens, line + line_of(half), inner);
            }
#pragma unroll
        for (int j = 0; j < EIGHTS; ++j) {
            int line = first_eight + 8 * j + threadIdx.x % 32 / 4, inner = step * STEP;
            if constexpr (SIDE_BY_SIDE) {
                double2 inners = PlaceEight::two(eights, line, inner + inner_of(0));
                eight[j][0] = inners.x, eight[j][1] = inners.y;
            } else
#pragma unroll
                for (int part = 0; part < 2; ++part)
                    eight[j][part] = PlaceEight::one(eights, line, inner + inner_of(part));
        }
    }
};

// Two results of a thread, side by side in a row of C.
struct TwoResults {
    int row, column; // of 16 rows of the warp, and of its columns
    double at[2];
};

// A result that may lie outside of C, where the epilogue has nothing to read.
__device__ __forceinline__ double finished(const Epilogue& epilogue, double sum, int row, int column, int m, int n)
{
    return !EPILOGUE || (row < m && column < n) ? epilogue(sum, row, column) : sum;
}

struct Sums {
    static constexpr int PAIRS = WARP_N / 4; // of 16 rows
    static constexpr int COUNT = SIXTEENS * EIGHTS * 4;
    double of[SIXTEENS][EIGHTS][4] = {};

    __device__ __forceinline__ double& at(int i) { return of[i / 4 / EIGHTS][i / 4 % EIGHTS][i % 4]; }

    __device__ __forceinline__ void add(const Fragments& now)
    {
#pragma unroll
        for (int i = 0; i < SIXTEENS; ++i)
#pragma unroll
            for (int j = 0; j < EIGHTS; ++j)
                multiply_add(of[i][j], now.sixteen[i], now.eight[j]);
    }

    // The pair with this number of 16 rows.
    __device__ __forceinline__ TwoResults two(int rows, int number) const
    {
        int part = number % 2, t = threadIdx.x % 4 * 2;
        if (TURNED) {
            int half = number / 2 % 2, i = number / 4;
            const double* sums = of[i][2 * rows + half];
            return {8 * half + t + part, 16 * i + line_of(0), {sums[part], sums[part + 2]}};
        }
        int j = number / 2;
        return {line_of(part), 8 * j + t, {of[rows][j][2 * part], of[rows][j][2 * part + 1]}};
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    matmul_mma_sync_float64(const double* A, const double* B, double* C, const COperandElement* c_operand,
                            const BiasElement* bias, SealedWord* workspace,
                            const __grid_constant__ SplitProduct product, const __grid_constant__ SharedTiles shared,
                            const __grid_constant__ EpilogueScalars scalars
#if STORE == BY_BOXES
                            , const __grid_constant__ TensorMap map_c
#endif
    )
{
    extern __shared__ __align__(STORE == BY_BOXES ? 1024 : 16) unsigned char shared_memory[];
    double* first_stage = reinterpret_cast<double*>(shared_memory) + ELEMENTS_BEFORE;
    const int m = product.m, n = product.n;

    wait_for_previous_kernel();
    const long long layers = product.batches * product.splits;
    auto layer_of = [&](long long index) { return Layer(product, tile_at<BLOCK_M, BLOCK_N>(index, m, n, layers)); };
    long long ahead = blockIdx.x; // the tile of C for which copies are made
    // Where blocks stay: the tiles from the one that is multiplied to `ahead`, of a short k several. To find a tile
    // takes divisions, so each is found once.
    __shared__ Layer taken[STAGES + 1];
    int last_taken = 0, now_taken = 0;
    CopiedStage<TileA, TileB, PlaceA, PlaceB, LINES_OF_ONE> next(A, B, product, layer_of(ahead));
    auto copy_next = [&](int stage) {
        if (STAYS && next.inners <= 0 && ahead + gridDim.x < shared.tiles) {
            ahead += gridDim.x;
            Layer layer = layer_of(ahead);
            next = {A, B, product, layer};
            last_taken = last_taken == STAGES ? 0 : last_taken + 1;
            if (threadIdx.x == 0)
                taken[last_taken] = layer;
        }
        next.copy(first_stage + stage * STAGE_ELEMENTS);
    };
    Fragments now[2];
    int from, to; // the stage that is multiplied, and the one that is replaced next
    auto begin = [&](const Layer& layer) {
        next = {A, B, product, layer};
        from = 0, to = STAGES - 1;
        for (int stage = 0; stage < STAGES - 1; ++stage)
            copy_next(stage);
        wait_for_copies<STAGES - 2>();
        __syncthreads();
        now[0].load(first_stage, 0);
    };
    if (STAYS) {
        Layer layer = layer_of(ahead);
        if (threadIdx.x == 0)
            taken[0] = layer;
        begin(layer);
    }
    __shared__ int steps_left;
    for (Segments segments(shared, steps_left); segments.any(); segments.go_on()) {
        Segment segment = segments.now();
        Layer layer = STAYS ? taken[now_taken] : layer_of(segment.tile);
        now_taken = now_taken == STAGES ? 0 : now_taken + 1;
        if (STREAM_K)
            layer.keep(segment.first * BLOCK_K, segment.end * BLOCK_K);
        if (!STAYS)
            begin(layer);
        Sums sums;
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
                    copy_next(to);
                now[(step + 1) % 2].load(first_stage + from * STAGE_ELEMENTS, (step + 1) % STEPS);
                sums.add(now[step % 2]);
                if (step == 0 && !COPIES_FIRST)
                    copy_next(to);
            }
            to = to == STAGES - 1 ? 0 : to + 1;
        }
        if (!STAYS) {
            // Results may pass through the stages, and the next tile of C takes them: wait until nobody reads them.
            wait_for_copies<0>();
            __syncthreads();
        }
        if (STREAM_K)
            segment = segments.now(), layer = layer_of(segment.tile);
        if (!segments.complete<double, THREADS, 8>(segment, sums, workspace))
            continue;

        OUTPUT* c = matrix_at(C, product.c, layer.batch_1, layer.batch_2) + layer.split * product.split_stride;
        Epilogue epilogue{c_operand, bias, scalars};
        epilogue.enter_batch(layer.batch_1, layer.batch_2);
        double* staged = reinterpret_cast<double*>(shared_memory) + threadIdx.x / 32 * STAGED_OF_WARP;
#if STORE == BY_BOXES
        using Boxes = StagedBoxes<WARP_M, WARP_N>;
        Boxes::wait();
#endif
#pragma unroll
        for (int rows = 0; rows < WARP_M / 16; ++rows) {
            int row = layer.row + warp_row() + 16 * rows, column = layer.column + warp_column();
#pragma unroll
            for (int number = 0; number < Sums::PAIRS; ++number) {
                TwoResults two = sums.two(rows, number);
#if STORE == BY_BOXES
                Boxes::stage(reinterpret_cast<unsigned char*>(staged), 16 * rows + two.row, two.column,
                             finished(epilogue, two.at[0], row + two.row, column + two.column, m, n),
                             finished(epilogue, two.at[1], row + two.row, column + two.column + 1, m, n));
#else
                if (STORE == BY_ROWS)
                    *reinterpret_cast<double2*>(staged + two.row * Staged::PITCH + two.column) =
                        make_double2(two.at[0], two.at[1]);
                else
                    store_some(c, product.c, epilogue, two.at, row + two.row, column + two.column, m, n);
#endif
            }
            if (STORE == BY_ROWS)
                Staged::store(c, product.c, epilogue, staged, row, column, m, n);
        }
#if STORE == BY_BOXES
        Boxes::store(map_c, reinterpret_cast<unsigned char*>(staged),
                     {layer.column + warp_column(), layer.row + warp_row(), static_cast<int>(layer.batch_1),
                      static_cast<int>(layer.batch_2)});
#endif
        if (!STAYS && STORE == BY_ROWS)
            __syncthreads(); // the next tile of C takes the stages
    }
#if STORE == BY_BOXES
    wait_for_stores_to_read<0>();
#endif
}
