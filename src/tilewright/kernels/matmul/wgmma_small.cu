// Matrix multiplication on Hopper's tensor cores where C is small: a block for each tile, and loads before all else.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), with up to two batch dimensions; 16-bit A and B, float32 sums.
// The idea: in a product of a few microseconds the start dominates. With a cold cache each new instruction comes from
//   DRAM, like the data; what wgmma.cu computes before its first load (the number of tiles, their rasterization,
//   register reallocation) takes about a thousand cycles. Here a tile's position is the block's position in the grid,
//   one warp requests tiles and does so at once, and 16-bit results pass through the stages, which are free by then,
//   and are stored in whole lines.
//   Where C has few tiles, the blocks of a cluster share k, and one of them adds their sums (cluster_sums.cuh). Where
//   it has many narrow ones, blocks are persistent: the next tile arrives while one is stored.
// Seeds:  000 (boundary checks: here by hardware), 004 (the tiled product, a block for each tile of C).
// New:    no rasterization; one warp requests tiles; no shared memory for C alone, but in persistent blocks.
// Next:   wgmma.cu is faster from a second wave of wide tiles on.
// Launch: 128 CONSUMERS + 32 threads; a grid of tiles of m, of n, and parts of k of each of the batch; clusters of
//   CLUSTER_M x CLUSTER_N, or of CLUSTER_K along k. PERSISTENT: as many blocks as run at once.
//
// Macros: BLOCK_M, BLOCK_N, BLOCK_K (a tile; multiples of 64 CONSUMERS, of 8 and of 64), STAGES (1 only where one holds
//   all of k: a stage is given back after the next one has come), CONSUMERS, CLUSTER_M, CLUSTER_N, BLOCKS_PER_SM;
//   CLUSTER_K (parts of k, none of them empty, in clusters of 1 x 1); K_IN_CHUNKS (2: a block adds up chunks of k,
//   chunk_sums.cuh); B_COPIED (1: the loading warp copies a B whose
//   columns are contiguous, narrow_copies.cuh; then no cluster shares B, and no C operand is staged); SQUARES (1: C is
//   that of a reduced product, store_squares.cuh; no C operand is staged); PERSISTENT (1: blocks go on to further
//   tiles; there are no clusters, no C operand is staged, and no squares);
//   ELEMENT (__half, __nv_bfloat16), OUTPUT (ELEMENT or float); A_K_MAJOR, B_K_MAJOR (1: k is the contiguous
//   dimension); BATCHED (1: maps have four dimensions, and batches are counted); C_BY_COLUMNS (1: the
//   columns of C are contiguous, not its rows); EPILOGUE, C_OPERAND, BIAS, ACTIVATION (epilogue.cuh);
//   C_OPERAND_STAGED (1: TMA loads the C operand, c_operand_in_stages.cuh) and then C_OPERAND_BY_COLUMNS (1: its
//   columns are contiguous, not its rows); BIAS_ALONG_ROWS (1: bias has an element for each row).
// Parameters: the tensor maps; B, if it is copied; C; c_operand and bias (epilogue.cuh); sizes and strides; the scalars
//   of the epilogue.

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef OUTPUT
#define OUTPUT ELEMENT
#endif
#ifndef PERSISTENT
#define PERSISTENT 0
#endif
#ifndef BLOCK_M
#define BLOCK_M 64
#define BLOCK_N 128
#define BLOCK_K 64
#define STAGES 4
#define CONSUMERS 1
#define CLUSTER_M 1
#define CLUSTER_N 1
#define CLUSTER_K 1
#define BLOCKS_PER_SM 1
#define A_K_MAJOR 1
#define B_K_MAJOR 0
#define BATCHED 0
#define C_BY_COLUMNS 0
#define SQUARES 0
#endif
#include "device/epilogue/finish.cuh"
#include "device/epilogue/store_lines.cuh"
#include "device/epilogue/store_squares.cuh"
#include "device/memory/operand.cuh"
#include "device/sm90/barrier.cuh"
#include "device/sm90/chunk_sums.cuh"
#include "device/sm90/cluster_sums.cuh"
#include "device/sm90/narrow_copies.cuh"
#include "device/sm90/stages.cuh"
#include "device/sm90/tile.cuh"

constexpr int CONSUMER_THREADS = WARPGROUP_THREADS * CONSUMERS;
constexpr int THREADS = CONSUMER_THREADS + 32;
constexpr int SHARED_BYTES = STAGES * (A_BYTES + B_BYTES + 2 * static_cast<int>(sizeof(Barrier))) +
                             (CLUSTER_K > 1 ? CLUSTER_SUMS_BYTES + static_cast<int>(sizeof(Barrier)) : 0) +
                             (PERSISTENT ? CONSUMERS * STAGED_BYTES : 0);
static_assert(!PERSISTENT || (CLUSTER == 1 && CLUSTER_K == 1 && !C_OPERAND_STAGED && !SQUARES), "blocks go on alone");
static_assert(!K_IN_CHUNKS || (K_IN_CHUNKS == 2 && CLUSTER_K == 1), "a block has all chunks of a tile");
static_assert(SHARED_BYTES <= MOST_SHARED_BYTES, "stages and barriers fit a block");

// Where a block's tiles of an operand come from: the first row of A or column of B, and the place in the batches.
struct From {
    const TensorMap& map;
    int first, batch_1, batch_2;
};
constexpr int LOADED_BYTES = A_BYTES + (B_COPIED ? 0 : B_BYTES); // by the copy engine, of a stage
constexpr int LOADS = B_COPIED ? 1 + 32 : 1;                     // arrivals of the loading warp for a stage

// Ask for the tiles of A and B that begin at `k`. What the blocks of a cluster share is loaded in parts; a block's part
// is its place among those that share it. There is no `b` where B is copied.
__device__ __forceinline__ void load_stage(const Stages& stages, int stage, const From& a, const From* b, int k)
{
    int rank_m = CLUSTER_M > 1 ? blockIdx.x % CLUSTER_M : 0, rank_n = CLUSTER_N > 1 ? blockIdx.y % CLUSTER_N : 0;
    unsigned short sharing_a = 0, sharing_b = 0;
    for (int i = 0; i < CLUSTER_N; ++i)
        sharing_a |= 1 << (rank_m + CLUSTER_M * i);
    for (int i = 0; i < CLUSTER_M; ++i)
        sharing_b |= 1 << (rank_n * CLUSTER_M + i);
    Barrier* full = &stages.full[stage];
    barrier_arrive_expecting(full, LOADED_BYTES);
    load_tile<A_K_MAJOR, BLOCK_M, CLUSTER_N>(stages.a + stage * A_BYTES, a.map, full, a.first, k, a.batch_1, a.batch_2,
                                             rank_n, sharing_a);
    if constexpr (!B_COPIED)
        load_tile<B_K_MAJOR, BLOCK_N, CLUSTER_M>(stages.b + stage * B_BYTES, b->map, full, b->first, k, b->batch_1,
                                                 b->batch_2, rank_m, sharing_b);
}

// Wait until the tensor cores have written all sums.
__device__ __forceinline__ void sums_finished(float (&sums)[M_TILES][BLOCK_N / 2])
{
#pragma unroll
    for (int i = 0; i < M_TILES; ++i)
        wgmma_finished(sums[i]);
}

// The tensor maps that the macros ask for.
struct Maps {
    TensorMap a;
#if !B_COPIED
    TensorMap b;
#endif
#if C_OPERAND_STAGED
    TensorMap c_operand;
#endif
};

// Sizes and strides. All of k has k_blocks, a part or chunk k_blocks_per_split at most; k and b are those of a B to be
// copied, tiles those of persistent blocks. a_moves and b_moves say whether an operand is another matrix from batch to
// batch; c_stride is from row to row of C, or from column to column.
struct Product {
    int m, n, k_blocks, k_blocks_per_split, batches_1;
    int a_moves_1, a_moves_2, b_moves_1, b_moves_2;
    int k, tiles;
    Strides b;
    long long c_stride, c_batch_stride_1, c_batch_stride_2;
};

// Where a tile is. A block has one, or every gridDim.x-th: down first, then across, then of the next product.
struct Place {
    int row, column, batch_1 = 0, batch_2 = 0;

    __device__ __forceinline__ Place(const Product& product, int tile)
    {
        int x = tile, y = blockIdx.y, batch = BATCHED ? blockIdx.z / CLUSTER_K : 0;
        if constexpr (PERSISTENT) {
            const int down = (product.m + BLOCK_M - 1) / BLOCK_M, across = (product.n + BLOCK_N - 1) / BLOCK_N;
            y = tile / down, x = tile - y * down;
            batch = BATCHED ? y / across : 0, y -= batch * across;
        }
        row = x * BLOCK_M, column = y * BLOCK_N;
        if constexpr (BATCHED)
            batch_2 = batch / product.batches_1, batch_1 = batch - batch_2 * product.batches_1;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    matmul_wgmma_small(const __grid_constant__ Maps maps, const ELEMENT* B, OUTPUT* C, const COperandElement* c_operand,
                       const BiasElement* bias, const __grid_constant__ Product product,
                       const __grid_constant__ EpilogueScalars scalars)
{
    const int m = product.m, n = product.n;
    extern __shared__ __align__(SWIZZLE_ATOM_BYTES) unsigned char shared[];
    Stages stages;
    stages.a = shared;
    stages.b = stages.a + STAGES * A_BYTES;
    stages.full = reinterpret_cast<Barrier*>(stages.b + STAGES * B_BYTES + CLUSTER_SUMS_BYTES);
    stages.empty = stages.full + STAGES;
    Barrier* others_arrived = stages.empty + STAGES;

    Place place(product, blockIdx.x);
    const int part = CLUSTER_K > 1 ? blockIdx.z % CLUSTER_K : 0;
    const int first_k_block = CLUSTER_K > 1 ? part * product.k_blocks_per_split : 0;
    const int k_blocks =
        CLUSTER_K > 1 ? min(product.k_blocks_per_split, product.k_blocks - first_k_block) : product.k_blocks;

    if (threadIdx.x >= CONSUMER_THREADS) {
        // The warp that loads. It waits for nobody but the other blocks of its cluster, into which it will write.
        bool first_lane = threadIdx.x == CONSUMER_THREADS;
        if (first_lane) {
            for (int stage = 0; stage < STAGES; ++stage) {
                barrier_init(&stages.full[stage], LOADS);
                barrier_init(&stages.empty[stage], WARPS_OF_WARPGROUP * CONSUMERS * CLUSTER);
            }
            if (CLUSTER_K > 1)
                barrier_init(others_arrived, 1);
            barrier_init_fence();
            if (CLUSTER_K > 1)
                barrier_arrive_expecting(others_arrived, CLUSTER_SUMS_BYTES);
        }
        __syncwarp();
        if constexpr (CLUSTER_K > 1)
            cluster_arrive();
        if constexpr (CLUSTER > 1)
            cluster_sync();
        else
            warps_arrive(1, THREADS);
        if (first_lane || B_COPIED) {
            wait_for_previous_kernel();
            Turn turn;
            int filled = 0, tile = blockIdx.x;
            do {
                const From a{maps.a, place.row, place.batch_1 * product.a_moves_1, place.batch_2 * product.a_moves_2};
#if B_COPIED
                const NarrowCopies copies{matrix_at(B, product.b, place.batch_1, place.batch_2) + place.column,
                                          product.b.row, n - place.column, product.k,
                                          static_cast<int>(threadIdx.x % 32)};
                constexpr From* b = nullptr;
#else
                const From from_b{maps.b, place.column, place.batch_1 * product.b_moves_1,
                                  place.batch_2 * product.b_moves_2};
                const From* b = &from_b;
#endif
                // There is one block of k at least: how many there are is asked for only when the first is on its way.
                int block = 0;
                do {
                    if (PERSISTENT ? filled == STAGES : block >= STAGES)
                        barrier_wait(&stages.empty[turn.stage], turn.parity ^ 1);
                    if (first_lane)
                        load_stage(stages, turn.stage, a, b, (first_k_block + block) * BLOCK_K);
#if B_COPIED
                    copies.ask_for_stage(stages.b + turn.stage * B_BYTES, (first_k_block + block) * BLOCK_K);
                    barrier_arrive_after_copies(&stages.full[turn.stage]);
#endif
                    turn.next();
                    filled += filled < STAGES;
                } while (++block < k_blocks);
                tile += gridDim.x;
                if (PERSISTENT && tile < product.tiles)
                    place = Place(product, tile);
            } while (PERSISTENT && tile < product.tiles);
#if C_OPERAND_STAGED
            const BoxAt c_operand_at{place.column, place.row, scalars.c_operand.batch_1 == 0 ? 0 : place.batch_1,
                                     scalars.c_operand.batch_2 == 0 ? 0 : place.batch_2};
            load_c_operand(stages, turn, maps.c_operand, c_operand_at);
#endif
        }
        if constexpr (CLUSTER_K > 1)
            cluster_wait();
        return;
    }

    int consumer = threadIdx.x / WARPGROUP_THREADS;
    int thread = threadIdx.x % WARPGROUP_THREADS;
    if constexpr (CLUSTER_K > 1)
        cluster_arrive();
    if constexpr (CLUSTER > 1)
        cluster_sync();
    else
        warps_sync(1, THREADS);
    wait_for_previous_kernel();
    Turn turn;
    int tile = blockIdx.x;
#pragma unroll 1
    do {
        const int row = place.row, column = place.column;
#if EPILOGUE || SQUARES
        Epilogue epilogue{c_operand, bias, scalars};
        epilogue.enter_batch(place.batch_1, place.batch_2);
#endif
#if EPILOGUE && !SQUARES
        int own_row = row + consumer * M_TILES * WARPGROUP_ROWS;
        if (part == 0)
            ask_for_epilogue(epilogue, own_row, 1, column, m, n, thread);
        const BiasInWarp bias_held(epilogue, own_row, 1, column, m, n, thread);
#endif
        float sums[M_TILES][BLOCK_N / 2];
        ChunkSums<0, 0, false> chunks(nullptr, nullptr, consumer, thread, 0);
        int previous = 0, first = 0;
#pragma unroll 1
        for (int block = 0; block < k_blocks; ++block) {
            barrier_wait(&stages.full[turn.stage], turn.parity);
            if constexpr (B_COPIED)
                fence_shared_writes();
            if (K_IN_CHUNKS && block - first == product.k_blocks_per_split) {
                wgmma_wait<0>();
                sums_finished(sums);
                chunks.add(sums, first == 0, false);
                first = block;
            }
            multiply_stage(sums, shared_address(stages.a + turn.stage * A_BYTES),
                           shared_address(stages.b + turn.stage * B_BYTES), consumer * M_TILES, block > first);
            // One group of instructions stays in flight; the stage of the one before is free, if anything is to come
            // there.
            wgmma_wait<1>();
            if (block > 0 && (PERSISTENT || block - 1 + STAGES < k_blocks + C_OPERAND_STAGES))
                leave_stage(stages, previous, thread % 32);
            previous = turn.stage;
            turn.next();
        }
        wgmma_wait<0>();
        if (PERSISTENT || STAGES <= C_OPERAND_STAGES)
            leave_stage(stages, previous, thread % 32);
        if (K_IN_CHUNKS) {
            sums_finished(sums);
            chunks.add(sums, first == 0, true);
        }
#if CLUSTER_K > 1
        sums_finished(sums);
        // By then all blocks of the cluster have begun, and the first one expects the sums of the others.
        float4* sums_of_others = reinterpret_cast<float4*>(stages.b + STAGES * B_BYTES);
        cluster_wait();
        if (part > 0) {
            send_sums<CONSUMER_THREADS>(sums, part, sums_of_others, others_arrived);
            return;
        }
        take_sums<CONSUMER_THREADS>(sums, sums_of_others, others_arrived);
#endif
        OUTPUT* c = C + place.batch_1 * product.c_batch_stride_1 + place.batch_2 * product.c_batch_stride_2;
#if SQUARES
#pragma unroll
        for (int i = 0; i < M_TILES; ++i) {
            wgmma_finished(sums[i]);
            store_squares(c, product.c_stride, sums[i], epilogue, row + (consumer * M_TILES + i) * WARPGROUP_ROWS,
                          column, m, n, thread);
        }
#else
#if EPILOGUE
        COperandInStages<false> staged{stages, turn, consumer, thread};
#endif
        Results results[M_TILES];
#pragma unroll
        for (int i = 0; i < M_TILES; ++i) {
            wgmma_finished(sums[i]);
#if EPILOGUE
            finish(sums[i], epilogue, bias_held, staged, i, own_row + i * WARPGROUP_ROWS, 1, column, m, n, thread);
#endif
            results[i].take(sums[i]);
        }
#if PERSISTENT
        unsigned char* staged_lines = reinterpret_cast<unsigned char*>(stages.empty + STAGES) + consumer * STAGED_BYTES;
#else
        // A block may end before others of its cluster, without a cluster_sync. What they write into it, it waits for:
        // their parts of its tiles, and their arrivals at `empty`. These are made only where a stage is filled once
        // more: the loading warp waits for them before it loads, and the consumers wait for what it loads. (wgmma.cu
        // gives every stage back, also those that nobody fills again, and so its blocks wait for each other.)
        // When all have multiplied, what the stages held is not needed any more, and the results pass through there.
        static_assert(M_TILES * CONSUMERS * STAGED_BYTES <= STAGES * (A_BYTES + B_BYTES), "results fit the stages");
        warps_sync(1, CONSUMER_THREADS);
        unsigned char* staged_lines = shared + consumer * M_TILES * STAGED_BYTES;
#endif
#pragma unroll
        for (int i = 0; i < M_TILES; ++i) {
            store_lines(c, product.c_stride, staged_lines, results[i], row + (consumer * M_TILES + i) * WARPGROUP_ROWS,
                        column, m, n, 2 + consumer, thread);
            if constexpr (PERSISTENT)
                warps_sync(2 + consumer, WARPGROUP_THREADS); // all have read the lines
            else
                staged_lines += STAGED_BYTES;
        }
#endif
        tile += gridDim.x;
        if (PERSISTENT && tile < product.tiles)
            place = Place(product, tile);
    } while (PERSISTENT && tile < product.tiles);
}
