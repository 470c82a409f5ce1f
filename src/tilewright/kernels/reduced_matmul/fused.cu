// Reduced products (RMM) in one launch: pairs are added while tiles are loaded. Of 16 bits and float32; float64's are
// those of mma_sync_float64.cu.
//
// Shapes: A (m, k) and B (k, n) give C (m/2, n/2), any even m and n, any k, any strides, up to two batch extents.
//         C[i, j] = sum over p of (A[2i, p] + A[2i+1, p]) * (B[p, 2j] + B[p, 2j+1]).
// Launch: WARPS_M x WARPS_N warps for a tile of BLOCK_M x BLOCK_N results and a split of k; STAGES tiles of elements in
//         dynamic shared memory, and two of sums in static. The blocks of the last split come last, so those that they
//         wait for run before them.
// Seeds:  003 (section 4.3.3: tiles of sums in shared memory), 000 (guards), 001 (barriers).
// New:    what tiled.cu does with one element a thread, with vectors: a thread copies two of 16 bytes, adds them,
//         each sum rounded once to ELEMENT, and stores one. While a tile is multiplied the next ones are on their way.
//         Where C has few tiles k is split, and blocks hand their sums over within the launch.
// Next:   pair_sums.cu adds each pair once, and not in every block that needs it: for larger products that is less.
//
// Macros: ELEMENT, OUTPUT and those of epilogue.cuh; BLOCK_M, BLOCK_N, BLOCK_K, WARPS_M, WARPS_N, STAGES,
// BLOCKS_PER_SM; A_K_MAJOR, B_K_MAJOR: 1 where k is contiguous in memory (or nothing is); A_LOADS, B_LOADS: 0 where no
// dimension is contiguous, 1 for aligned vectors, 2 for vectors from any address.

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
#define BLOCK_K 64
#define WARPS_M 2
#define WARPS_N 2
#define STAGES 3
#define BLOCKS_PER_SM 3
#define A_K_MAJOR 1
#define B_K_MAJOR 0
#define A_LOADS 1
#define B_LOADS 1
#endif
#include "device/memory/copied_tile.cuh"
#include "device/memory/handed_sums.cuh"
#include "device/memory/summed_tile.cuh"
#include "device/mma/warp_products.cuh"

constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int WARP_M = BLOCK_M / WARPS_M, WARP_N = BLOCK_N / WARPS_N;

using PlaceA = Place<ELEMENT, BLOCK_M, BLOCK_K, A_K_MAJOR>;
using PlaceB = Place<ELEMENT, BLOCK_N, BLOCK_K, B_K_MAJOR>;
using SummedA = SummedTile<PlaceA, BLOCK_M, BLOCK_K, A_K_MAJOR, A_LOADS, PlaceA::RUN, THREADS>;
using SummedB = SummedTile<PlaceB, BLOCK_N, BLOCK_K, B_K_MAJOR, B_LOADS, PlaceB::RUN, THREADS>;
constexpr int ARRIVALS = SummedA::ARRIVALS + SummedB::ARRIVALS;
using Products = WarpProducts<ELEMENT, WARP_M, WARP_N, BLOCK_K>;

constexpr int WORDS = WORDS_OF<SUM, Products>; // of a thread's sums, which it hands to another block's

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    reduced_matmul_fused(const ELEMENT* A, const ELEMENT* B, OUTPUT* C, const COperandElement* c_operand,
                         const BiasElement* bias, SealedWord* workspace, const __grid_constant__ SplitProduct product,
                         const __grid_constant__ EpilogueScalars scalars)
{
    extern __shared__ __align__(16) unsigned char dynamic[];
    __shared__ __align__(16) ELEMENT sums[2][PlaceA::ELEMENTS + PlaceB::ELEMENTS];
    uint4* arrivals = reinterpret_cast<uint4*>(dynamic);
    const int m = product.m, n = product.n; // of C
    int warp_row = threadIdx.x / 32 / WARPS_N * WARP_M, warp_column = threadIdx.x / 32 % WARPS_N * WARP_N;
    Layer layer(product, tile_at<BLOCK_M, BLOCK_N>(blockIdx.x, m, n, product.batches * product.splits));
    int end = layer.first + layer.inners;
    SummedA a(matrix_at(A, product.a, layer.batch_1, layer.batch_2), product.a.row, product.a.column, layer.row, m, end,
              product.k);
    SummedB b(matrix_at(B, product.b, layer.batch_1, layer.batch_2), product.b.column, product.b.row, layer.column, n,
              end, product.k);

    wait_for_previous_kernel();
    for (int stage = 0; stage < STAGES - 1; ++stage) {
        a.fetch(arrivals + stage * ARRIVALS, layer.first + stage * BLOCK_K);
        b.fetch(arrivals + stage * ARRIVALS + SummedA::ARRIVALS, layer.first + stage * BLOCK_K);
        end_of_copies();
    }
    Products products;
    int from = 0, to = STAGES - 1, turn = 0;
    for (int first = layer.first; first < end; first += BLOCK_K) {
        ELEMENT* sums_a = sums[turn];
        ELEMENT* sums_b = sums_a + PlaceA::ELEMENTS;
        wait_for_copies<STAGES - 2>();
        a.put(sums_a, arrivals + from * ARRIVALS, first);
        b.put(sums_b, arrivals + from * ARRIVALS + SummedA::ARRIVALS, first);
        // Wait until these sums are complete. Nobody reads the other ones any more, which are replaced next.
        __syncthreads();
        a.fetch(arrivals + to * ARRIVALS, first + (STAGES - 1) * BLOCK_K);
        b.fetch(arrivals + to * ARRIVALS + SummedA::ARRIVALS, first + (STAGES - 1) * BLOCK_K);
        end_of_copies();
        products.multiply<PlaceA, PlaceB, A_K_MAJOR, B_K_MAJOR>(sums_a, sums_b, warp_row, warp_column);
        from = from == STAGES - 1 ? 0 : from + 1;
        to = to == STAGES - 1 ? 0 : to + 1;
        turn ^= 1;
    }

    if (product.splits > 1) {
        long long tiles = tiles_of<BLOCK_M, BLOCK_N>(m, n, 1), others = product.splits - 1;
        long long tile = blockIdx.x / (tiles * product.splits) * tiles + blockIdx.x % tiles;
        SealedWord* places = workspace + tile * others * WORDS * THREADS + threadIdx.x;
        if (layer.split < others) {
            leave_sums<SUM, THREADS>(places + layer.split * WORDS * THREADS, products);
            return;
        }
        take_sums<SUM, THREADS, WORDS>(places, static_cast<int>(others), WORDS * THREADS, products);
    }

    OUTPUT* c = matrix_at(C, product.c, layer.batch_1, layer.batch_2);
    Epilogue epilogue{c_operand, bias, scalars};
    epilogue.enter_batch(layer.batch_1, layer.batch_2);
#pragma unroll
    for (int i = 0; i < Products::COUNT; ++i) {
        int row = layer.row + warp_row + Products::row_of(i);
        int column = layer.column + warp_column + Products::column_of(i);
        if (row < m && column < n)
            round_into(c[row * product.c.row + column * product.c.column], epilogue(products.at(i), row, column));
    }
}
