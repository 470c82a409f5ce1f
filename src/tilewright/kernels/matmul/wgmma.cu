// Matrix multiplication on Hopper's tensor cores, persistent and warp-specialized: TMA loads, warpgroups multiply.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), with up to two batch dimensions; A and B of 16 bits, or of
//   float32, which the copy engine rounds to 19 bits (tf32); float32 sums.
// The idea: the seeds' phases (load a tile together, wait, compute, wait) are done by different warps. One warpgroup,
//   the producer, only requests tiles by TMA, STAGES of them ahead. The others, the consumers, only multiply. Barriers
//   in shared memory tell consumers "this stage is full" and the producer "this stage is empty": each waits only for
//   the other. What lies outside A and B arrives as 0, whatever the sizes.
// Seeds:  000 (boundary checks: here by hardware), 001 (warps and what they wait for), 004 (the tiled product).
// New:    blocks are persistent (one or BLOCKS_PER_SM on each multiprocessor) and take tile after tile: operands of
//   the next one are loaded while this one is stored. Clusters of blocks in a column of tiles share B, in a row A:
//   each block loads its part, and TMA writes it into all of them (multicast).
// Next:   repack.cu, repack_float32.cu: copies of what TMA or tf32 cannot read; splitk_reduce.cu adds split-K's sums.
// Launch: 128 (CONSUMERS + 1) threads; clusters of CLUSTER_M x CLUSTER_N blocks along x; a multiple of these blocks.
//
// Macros: BLOCK_M, BLOCK_N, BLOCK_K (a tile; multiples of 64 CONSUMERS, of 8 and of 128 bytes), STAGES, CONSUMERS,
//   CLUSTER_M, CLUSTER_N, BLOCKS_PER_SM; ELEMENT (__half, __nv_bfloat16, float), OUTPUT (ELEMENT or float); A_K_MAJOR,
//   B_K_MAJOR (1: k is the contiguous dimension, as it must be in a B of tf32); A_IN_REGISTERS (1: an A of tf32 that
//   lies along m, turned_stage.cuh) and then A_BY_ROWS (1: its rows of k begin anywhere, row_copies.cuh); A_ROW_CLASSES
//   (1: tiles take every eighth row of A, row_classes.cuh); K_CLASSES (1: a split takes every eighth k, k_classes.cuh);
//   STREAM_K (1: clusters share the last tiles, parts.cuh); K_IN_CHUNKS (1 or 2: a block adds up chunks of k,
//   chunk_sums.cuh); BATCHED (1: maps have four dimensions, and batches are counted); STORE (store.cuh); STORE_LATER
//   (1: a tile is stored while the next is multiplied, which is none of a part); EPILOGUE, C_OPERAND, BIAS, ACTIVATION
//   (epilogue.cuh); C_OPERAND_STAGED (1: TMA loads it, c_operand_in_stages.cuh) and then C_OPERAND_BY_COLUMNS (1: its
//   columns are contiguous, not its rows); BIAS_ALONG_ROWS (1: bias is along rows).
// Parameters: the tensor maps; A, if threads copy it; C, if threads store it; c_operand and bias (epilogue.cuh); sizes
//   and strides: k_blocks (of BLOCK_K in all), tile_group (rasterization.cuh), with splits > 1 batch dimension 1 of C
//   counts the splits (partial sums), shared_tiles (of a cluster; 0 without STREAM_K); the scalars of the epilogue;
//   workspace, for sums that are handed over (handed_tiles.cuh) or wait (chunk_sums.cuh).

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef OUTPUT
#define OUTPUT ELEMENT
#endif
#ifndef BLOCK_M
#define BLOCK_M 128
#define BLOCK_N 256
#define BLOCK_K 64
#define STAGES 3
#define CONSUMERS 2
#define CLUSTER_M 2
#define CLUSTER_N 1
#define BLOCKS_PER_SM 1
#define A_K_MAJOR 1
#define B_K_MAJOR 0
#define A_ROW_CLASSES 0
#define BATCHED 0
#define STORE 0
#define STORE_LATER 0
#endif
#include "device/epilogue/finish.cuh"
#include "device/epilogue/store.cuh"
#include "device/memory/operand.cuh"
#include "device/sm90/barrier.cuh"
#include "device/sm90/handed_tiles.cuh"
#include "device/sm90/parts.cuh"
#include "device/sm90/registers.cuh"
#include "device/sm90/stages.cuh"
#include "device/sm90/tile.cuh"
#if A_IN_REGISTERS
#include "device/sm90/turned_stage.cuh"
#endif

// Results wait in registers and are stored while the next tile is multiplied, if asked for and where registers allow.
// A tile of 128 x 256 would need 232 of them, which a producer with 40 leaves. On an H200 that was tried for both ways
// of storing and did not pay: 4096^3 and 8191^3 took what they take, 64 x 1024^3 3 % longer, with gelu 5 %.
constexpr int SUMS_AND_RESULTS = M_TILES * (BLOCK_N / 2 + BLOCK_N / 4);
constexpr int OTHER_REGISTERS = 40; // addresses and counters of a consumer: with fewer it spills
constexpr bool LATER =
    STORE_LATER && sizeof(OUTPUT) == 2 && SUMS_AND_RESULTS + OTHER_REGISTERS <= REGISTERS_OF_A_CONSUMER;

static_assert(!A_ROW_CLASSES || (A_K_MAJOR && !B_K_MAJOR && CLUSTER_N == 1), "A along k, B along n, A not shared");

constexpr int SHARED_BYTES =
    STAGES * (A_BYTES + B_BYTES + 2 * static_cast<int>(sizeof(Barrier))) + CONSUMERS * STAGING_BYTES;
static_assert(SHARED_BYTES <= MOST_SHARED_BYTES, "stages, what C passes through, and barriers fit a block");

__device__ __forceinline__ void take_results(Results (&results)[M_TILES], const float (&sums)[M_TILES][BLOCK_N / 2])
{
#pragma unroll
    for (int i = 0; i < M_TILES; ++i)
        results[i].take(sums[i]);
}

// All tiles of one consumer, one below the other.
__device__ __forceinline__ void store_tiles(Output& out, const Results (&results)[M_TILES], TileAt at, int consumer,
                                            int thread)
{
#pragma unroll
    for (int i = 0; i < M_TILES; ++i)
        store_tile(out, results[i], at, (consumer * M_TILES + i) * WARPGROUP_ROWS, thread);
}

// The tensor maps that the macros ask for. A has one, or one for each class of its rows; A and B of each class of k.
struct Maps {
#if !A_BY_ROWS
    TensorMap a[ROW_STEP * CLASSES_OF_K];
#endif
    TensorMap b[CLASSES_OF_K];
#if STORES_BOXES
    TensorMap c[MAPS_OF_C];
#endif
#if C_OPERAND_STAGED
    TensorMap c_operand;
#endif
};

// Sizes and strides. Splits and batches count tiles of C anew; a_moves and b_moves say whether an operand is another
// matrix from batch to batch. Of A's row classes: the shift of row 1, and the rows from one batch to the next. The
// strides of A count where threads copy its rows of k.
struct Product {
    int m, n, k, k_blocks, k_blocks_per_split, splits, shared_tiles, tile_group, batches_1, batches;
    int a_moves_1, a_moves_2, b_moves_1, b_moves_2;
    int a_shift, a_rows_1, a_rows_2;
    Strides a, c;
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    matmul_wgmma(const __grid_constant__ Maps maps, const ELEMENT* A, OUTPUT* C, const COperandElement* c_operand,
                 const BiasElement* bias, const __grid_constant__ Product product,
                 const __grid_constant__ EpilogueScalars scalars, unsigned char* workspace)
{
    const int m = product.m, n = product.n, k_blocks = product.k_blocks, splits = product.splits;
    const int batches_1 = BATCHED ? product.batches_1 : 1, batches = BATCHED ? product.batches : 1;
    const int b_moves_1 = BATCHED ? product.b_moves_1 : 0, b_moves_2 = BATCHED ? product.b_moves_2 : 0;
#if A_ROW_CLASSES
    const int k = product.k, a_shift = product.a_shift, a_rows_1 = product.a_rows_1, a_rows_2 = product.a_rows_2;
#elif !A_BY_ROWS
    const int a_moves_1 = BATCHED ? product.a_moves_1 : 0, a_moves_2 = BATCHED ? product.a_moves_2 : 0;
#endif
    extern __shared__ __align__(SWIZZLE_ATOM_BYTES) unsigned char shared[];
    Stages stages;
    stages.a = shared;
    stages.b = stages.a + STAGES * A_BYTES;
    unsigned char* staging = stages.b + STAGES * B_BYTES;
    stages.full = reinterpret_cast<Barrier*>(staging + CONSUMERS * STAGING_BYTES);
    stages.empty = stages.full + STAGES;

    int warpgroup = threadIdx.x / WARPGROUP_THREADS;
    int thread = threadIdx.x % WARPGROUP_THREADS;
    int rank = CLUSTER > 1 ? rank_in_cluster() : 0;
    int rank_m = rank % CLUSTER_M;
    int rank_n = rank / CLUSTER_M;

    if (threadIdx.x == 0) {
#if !A_BY_ROWS
        fetch_descriptor(maps.a[0]);
#endif
        fetch_descriptor(maps.b[0]);
#if STORES_BOXES
        fetch_descriptor(maps.c[0]);
#endif
        for (int stage = 0; stage < STAGES; ++stage) {
            barrier_init(&stages.full[stage], 1 + (A_BY_ROWS ? WARPGROUP_THREADS : 0));
            // Every consumer warp of every block that a load may write to.
            barrier_init(&stages.empty[stage], WARPS_OF_WARPGROUP * CONSUMERS * CLUSTER);
        }
        barrier_init_fence();
    }
    if constexpr (CLUSTER > 1)
        cluster_sync();
    else
        __syncthreads();
    wait_for_previous_kernel();

    TileOrder order;
    int rows_of_class = (m + ROW_STEP - 1) / ROW_STEP;
    int tiles_of_class = (rows_of_class + BLOCK_M * CLUSTER_M - 1) / (BLOCK_M * CLUSTER_M);
    order.tiles_m = ROW_STEP * tiles_of_class;
    order.tiles_n = (n + BLOCK_N * CLUSTER_N - 1) / (BLOCK_N * CLUSTER_N);
    order.splits = splits;
    order.group = product.tile_group;
    int works = order.tiles_m * order.tiles_n * splits * batches;
    // The first row of this block's tile, in the tile_m-th row of tiles.
    auto row_of = [&](int tile_m) {
        int row_class = ROW_STEP > 1 ? tile_m / tiles_of_class : 0;
        int tile = tile_m - row_class * tiles_of_class;
        return row_class + ROW_STEP * (tile * CLUSTER_M + rank_m) * BLOCK_M;
    };
    const int clusters = gridDim.x / CLUSTER;
    Parts parts(order, k_blocks, product.k_blocks_per_split, works, product.shared_tiles, blockIdx.x / CLUSTER,
                clusters);

    if (warpgroup == 0) {
        if constexpr (REALLOCATES_REGISTERS)
            give_registers_back<PRODUCER_REGISTERS>();
        // One thread asks for boxes, all of them copy rows.
        if (thread == 0 || A_BY_ROWS) {
            // The blocks with which this one shares its tile of A (same row of tiles) and of B (same column).
            unsigned short sharing_a = 0, sharing_b = 0;
            for (int i = 0; i < CLUSTER_N; ++i)
                sharing_a |= 1 << (rank_m + CLUSTER_M * i);
            for (int i = 0; i < CLUSTER_M; ++i)
                sharing_b |= 1 << (rank_n * CLUSTER_M + i);
            Turn turn;
            for (; parts.any(); parts.go_on()) {
                Part part = parts.now();
                Work work = order.at(part.work);
                int row = row_of(work.tile_m);
                int column = (work.tile_n * CLUSTER_N + rank_n) * BLOCK_N;
                int batch_1 = work.batch % batches_1, batch_2 = work.batch / batches_1;
                int first = part.first, last = part.end, shift = 0, k_class = work.split % CLASSES_OF_K;
#if A_ROW_CLASSES
                int a_row = row + batch_1 * a_rows_1 + batch_2 * a_rows_2;
                shift = shift_of_row(a_row, a_shift);
                last = (k + shift + BLOCK_K - 1) / BLOCK_K;
                const TensorMap& map = maps.a[a_row & ROW_CLASSES - 1];
#endif
#if A_BY_ROWS
                RowCopies rows(matrix_at(A, product.a, batch_1, batch_2) + row + first * BLOCK_K * product.a.column,
                               product.a.column, min(m - row, BLOCK_M), thread);
#endif
#if C_OPERAND_STAGED
                const BoxAt c_operand_at{column, row, scalars.c_operand.batch_1 == 0 ? 0 : batch_1,
                                      scalars.c_operand.batch_2 == 0 ? 0 : batch_2};
#endif
#pragma unroll 1
                for (int block = first; block < last; ++block) {
                    barrier_wait(&stages.empty[turn.stage], turn.parity ^ 1);
                    Barrier* full = &stages.full[turn.stage];
                    if (thread == 0) {
                        barrier_arrive_expecting(full, (A_BY_ROWS ? 0 : A_BYTES) + B_BYTES);
#if A_ROW_CLASSES
                        load_tile<true, BLOCK_M, 1, false>(stages.a + turn.stage * A_BYTES, map, full,
                                                           a_row / ROW_CLASSES, block * BLOCK_K, 0, 0, 0, 0);
#elif !A_BY_ROWS
                        load_tile<A_K_MAJOR, BLOCK_M, CLUSTER_N>(stages.a + turn.stage * A_BYTES, maps.a[k_class], full,
                                                                 row, block * BLOCK_K, batch_1 * a_moves_1,
                                                                 batch_2 * a_moves_2, rank_n, sharing_a);
#endif
                        load_tile<B_K_MAJOR, BLOCK_N, CLUSTER_M>(stages.b + turn.stage * B_BYTES, maps.b[k_class], full,
                                                                 column, block * BLOCK_K - shift, batch_1 * b_moves_1,
                                                                 batch_2 * b_moves_2, rank_m, sharing_b);
                    }
#if A_BY_ROWS
                    rows.ask_for_stage(stages.a + turn.stage * A_BYTES, product.k - block * BLOCK_K);
                    barrier_arrive_after_copies(full);
#endif
                    turn.next();
                }
#if C_OPERAND_STAGED
                if (!(STREAM_K || K_IN_CHUNKS) || part.end == k_blocks)
                    load_c_operand(stages, turn, maps.c_operand, c_operand_at);
#endif
            }
        }
    } else {
        if constexpr (REALLOCATES_REGISTERS)
            take_registers<CONSUMER_REGISTERS>();
        int consumer = warpgroup - 1;
        int lane = thread % 32;
        Output out;
#if STORES_BOXES
        out.maps = maps.c;
        out.chunk_turn = 0;
#else
        out.c = C;
        out.strides = product.c;
#endif
        out.m = m;
        out.n = n;
        out.staging = staging + consumer * STAGING_BYTES;
        out.warps_id = 1 + consumer;

        auto place_of = [&](int index) {
            Work work = order.at(index);
            return TileAt{row_of(work.tile_m),
                          (work.tile_n * CLUSTER_N + rank_n) * BLOCK_N,
                          splits > 1 ? work.split : work.batch % batches_1,
                          splits > 1 ? work.batch : work.batch / batches_1};
        };
        Turn turn;
        float sums[M_TILES][BLOCK_N / 2];
        ChunkSums<REGISTERS_OF_A_CONSUMER, STAGING_BYTES, STORES_BOXES> chunks(workspace, out.staging, consumer, thread,
                                                                               out.warps_id);
        Results results[M_TILES];
        for (; parts.any(); parts.go_on()) {
            Part part = parts.now();
            int index = part.work, first = part.first, last = part.end;
#if A_ROW_CLASSES
            TileAt here = place_of(index);
            int shift = shift_of_row(here.row + here.batch_1 * a_rows_1 + here.batch_2 * a_rows_2, a_shift);
            last = (k + shift + BLOCK_K - 1) / BLOCK_K;
#endif

#if EPILOGUE
            TileAt at = place_of(index);
            Epilogue epilogue{c_operand, bias, scalars};
            epilogue.enter_batch(at.batch_1, at.batch_2);
            int own_row = at.row + ROW_STEP * consumer * M_TILES * WARPGROUP_ROWS;
            const BiasInWarp bias_held(epilogue, own_row, ROW_STEP, at.column, m, n, thread);
#endif

            // Multiply stage after stage, one group of instructions always in flight: a stage is given back when the
            // group after it has been issued and its own has ended.
            int previous = 0;
#if A_IN_REGISTERS
            // What a thread holds of A is read while the tensor cores multiply what it held before.
            HeldA held[2];
            int shift = 0;
#if A_BY_ROWS
            int batch = order.at(index).batch;
            shift = elements_past_boundary(matrix_at(A, product.a, batch % batches_1, batch / batches_1) +
                                           thread % 4 * product.a.column);
#endif
            auto multiply_next = [&](HeldA& now, bool is_first) {
                barrier_wait(&stages.full[turn.stage], turn.parity);
                hold(now, shared_address(stages.a + turn.stage * A_BYTES), consumer * M_TILES, thread, shift);
                multiply_held(sums, now, shared_address(stages.b + turn.stage * B_BYTES), !is_first);
                if (!is_first) {
                    wgmma_wait<1>();
                    __syncwarp(); // all lanes have read that stage's A
                    leave_stage(stages, previous, lane);
                }
                previous = turn.stage;
                turn.next();
            };
            multiply_next(held[0], true);
            int block = first + 1;
#pragma unroll 1
            for (; block + 1 < last; block += 2) {
                multiply_next(held[1], false);
                multiply_next(held[0], false);
            }
            if (block < last)
                multiply_next(held[1], false);
#else
#pragma unroll 1
            for (int block = first; block < last; ++block) {
                barrier_wait(&stages.full[turn.stage], turn.parity);
#if A_ROW_CLASSES
                if (block == first && shift > 0) {
                    constexpr int ROWS = M_TILES * WARPGROUP_ROWS;
                    clear_before_rows(shared_address(stages.a + turn.stage * A_BYTES) + consumer * ROWS * SWIZZLE_BYTES,
                                      ROWS, shift, thread);
                    warps_sync(out.warps_id, WARPGROUP_THREADS);
                }
#endif
                multiply_stage(sums, shared_address(stages.a + turn.stage * A_BYTES),
                               shared_address(stages.b + turn.stage * B_BYTES), consumer * M_TILES, block > first);
                // Two groups are in flight: the tensor cores have work while the tile before is stored.
                if (LATER && index >= clusters && block == min(first + 1, last - 1))
                    store_tiles(out, results, place_of(index - clusters), consumer, thread);
                chunks.look_ahead(block, first, last);
                if (!LATER || block > first)
                    wgmma_wait<1>();
                if (block > first)
                    leave_stage(stages, previous, lane);
                previous = turn.stage;
                turn.next();
            }
#endif
            wgmma_wait<0>();
#pragma unroll
            for (int i = 0; i < M_TILES; ++i)
                wgmma_finished(sums[i]);
            if constexpr (A_IN_REGISTERS)
                __syncwarp();
            leave_stage(stages, previous, lane);

            if (K_IN_CHUNKS && !chunks.add(sums, first == 0, last == k_blocks))
                continue;
#if STREAM_K
            if (part.end < k_blocks) {
                leave_tile(HandedTile(workspace, blockIdx.x, consumer), sums, thread, out.warps_id);
                continue;
            }
            for (int other = 1; part.first > 0 && other <= parts.others(part); ++other)
                add_tile(HandedTile(workspace, blockIdx.x - other * CLUSTER, consumer), sums, thread, out.warps_id);
#endif

#if EPILOGUE
            ask_for_epilogue(epilogue, own_row, ROW_STEP, at.column, m, n, thread);
            COperandInStages<true> staged{stages, turn, consumer, thread};
#pragma unroll
            for (int i = 0; i < M_TILES; ++i)
                finish(sums[i], epilogue, bias_held, staged, i, own_row + ROW_STEP * i * WARPGROUP_ROWS, ROW_STEP,
                       at.column, m, n, thread);
#endif
            if constexpr (LATER) {
                take_results(results, sums);
            } else {
                Results now[M_TILES];
                take_results(now, sums);
                store_tiles(out, now, place_of(index), consumer, thread);
            }
        }
        if (LATER && parts.work >= clusters)
            store_tiles(out, results, place_of(parts.work - clusters), consumer, thread);
#if STORES_BOXES
        if (thread == 0)
            wait_for_stores_to_read<0>();
#endif
    }
    // A block must not end while another of its cluster still writes to it.
    if constexpr (CLUSTER > 1)
        cluster_sync();
}
