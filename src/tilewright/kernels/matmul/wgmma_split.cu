// float32 products on Hopper's tensor cores: the parts of split_float32.cu are multiplied, the sums are promoted.
//
// Shapes: PLANES 16-bit planes of A (m, k) and of B (k, n) give C (m, n) in float32, with up to two batch dimensions.
// The idea: of x = high + middle + low the products high x high, high x middle, high x low, middle x middle and so on
//   are products of 16-bit matrices, and their sum is the product in float32: six of three bfloat16 parts (bf16x6),
//   three of two float16 parts (fp16x3). What is left out lies below the last bit.
// Seeds:  001 (phases, and what warps wait for), 004 (the tiled product).
// New:    the tensor cores cut off what lies below the last bit of a sum, always towards 0, so long sums drift. Here a
//         sum in the tensor cores is short: two steps of high x high. Threads then add it to sums of their own, rounded
//         to the nearest (promotion), and those, group after group of k, to sums that wait in memory: errors grow with
//         the root of a group, not of k. A stage holds one plane, which is given back as soon as it is used.
// Next:   recompute_float32.cu: what no sum of parts gives (infinities, NaN, lost bits) is flagged here.
// Launch: 128 (CONSUMERS + 1) threads; clusters of CLUSTER_M x CLUSTER_N blocks along x; a multiple of these blocks.
//
// Macros: those of wgmma.cu, where C is float32, and a stage is a plane of BLOCK_K of k; PLANES (3: ELEMENT is
//   __nv_bfloat16; 2: __half, and a consumer has at most 64 x 128 sums).
// Parameters: tensor maps of A and B, whose third dimension is the plane and whose fourth the batch, and of C, if TMA
//   stores it; C; c_operand and bias (epilogue.cuh); flags of A and B (split_flags.cuh), and exponents of their scales
//   (fp16x3); suspects, a word for each 16 rows of each tile, and one for all of them; waiting, room for the sums of
//   each block; sizes and strides; the scalars of the epilogue.

#ifndef ELEMENT
#define ELEMENT __nv_bfloat16
#endif
#ifndef BLOCK_M
#define BLOCK_M 128
#define BLOCK_N 192
#define BLOCK_K 64
#define STAGES 5
#define CONSUMERS 2
#define CLUSTER_M 1
#define CLUSTER_N 1
#define BLOCKS_PER_SM 1
#define A_K_MAJOR 1
#define B_K_MAJOR 0
#define BATCHED 0
#define STORE 2
#define PLANES 3
#endif
#define OUTPUT float
#define EXACT_ACTIVATION 1
#define A_ROW_CLASSES 0
#include "device/epilogue/finish.cuh"
#include "device/epilogue/store.cuh"
#include "device/memory/operand.cuh"
#include "device/memory/rasterization.cuh"
#include "device/memory/split_flags.cuh"
#include "device/sm90/barrier.cuh"
#include "device/sm90/promotion.cuh"
#include "device/sm90/stages.cuh"
#include "device/sm90/tile.cuh"

constexpr int THREADS = WARPGROUP_THREADS * (CONSUMERS + 1);
// A consumer holds two sums for each result; the producer gives back what it does not need.
constexpr int PRODUCER_REGISTERS = 24, CONSUMER_REGISTERS = 240;
constexpr bool REALLOCATES_REGISTERS = CONSUMERS == 2;

constexpr int SHARED_BYTES =
    STAGES * (A_BYTES + B_BYTES + 2 * static_cast<int>(sizeof(Barrier))) + CONSUMERS * STAGING_BYTES;
static_assert(SHARED_BYTES <= MOST_SHARED_BYTES, "stages, what C passes through, and barriers fit a block");
static_assert(STAGES > PLANES, "the next plane is loaded while those of one block of k are multiplied");
static_assert(BLOCK_K == FLAG_SIDE, "a block of k has one word of flags");

// The order in which planes are loaded and given back: those of the corrections first, and high (0) before low.
__device__ __forceinline__ int plane_in_turn(int number)
{
    return PLANES == 2 ? 1 - number : number == 0 ? 1 : number == 1 ? 0 : 2;
}

// Steps of 16 of k whose products of high parts are added before their sum is promoted. On an H200 a step less takes up
// to 17 % longer; with twice as many, sums of positive numbers err by 9e-8 (bf16x6) and 1.9e-7 (fp16x3) instead of 6e-8
// and 9e-8, and SGEMM's by as little as 8e-8.
constexpr int PROMOTE_STEPS = 2;
static_assert(BLOCK_K / K_STEP == 2 * PROMOTE_STEPS, "a block of k is promoted in two halves");

// Of bfloat16 parts consumers take turns: one multiplies while the other promotes and stores. Each waits at a barrier
// of its own, and the other arrives there when its instructions are under way.
constexpr int FIRST_TURN_ID = 1 + CONSUMERS;
constexpr bool TAKES_TURNS = PLANES == 3 && CONSUMERS == 2;

__device__ __forceinline__ void take_turn(int consumer)
{
    if constexpr (TAKES_TURNS)
        warps_sync(FIRST_TURN_ID + consumer, 2 * WARPGROUP_THREADS);
}

__device__ __forceinline__ void pass_turn(int consumer)
{
    if constexpr (TAKES_TURNS)
        warps_arrive(FIRST_TURN_ID + 1 - consumer, 2 * WARPGROUP_THREADS);
}

struct Maps {
    TensorMap a, b;
#if STORES_BOXES
    TensorMap c[MAPS_OF_C];
#endif
};

// Sizes and strides. Batch dimension 1 moves on by `a_batch_1` matrices of A, 0 where they are broadcast; splits are as
// in wgmma.cu. Sums go to memory after every `group_blocks` blocks of k.
struct Product {
    int m, n, k, k_blocks, k_blocks_per_split, splits, tile_group, batches_1, batches;
    int a_batch_1, a_batch_2, b_batch_1, b_batch_2;
    int group_blocks;
    Strides c;
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    matmul_wgmma_split(const __grid_constant__ Maps maps, float* C, const COperandElement* c_operand,
                       const BiasElement* bias, const int* flags_a, const int* flags_b, const int* exponents_a,
                       const int* exponents_b, int* suspects, int* any_suspect, float4* waiting,
                       const __grid_constant__ Product product,
                       const __grid_constant__ EpilogueScalars scalars)
{
    const int m = product.m, n = product.n, k_blocks = product.k_blocks;
    const int k_blocks_per_split = product.k_blocks_per_split, splits = product.splits;
    const int batches_1 = BATCHED ? product.batches_1 : 1, batches = BATCHED ? product.batches : 1;
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
        fetch_descriptor(maps.a);
        fetch_descriptor(maps.b);
#if STORES_BOXES
        fetch_descriptor(maps.c[0]);
#endif
        for (int stage = 0; stage < STAGES; ++stage) {
            barrier_init(&stages.full[stage], 1);
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
    order.tiles_m = (m + BLOCK_M * CLUSTER_M - 1) / (BLOCK_M * CLUSTER_M);
    order.tiles_n = (n + BLOCK_N * CLUSTER_N - 1) / (BLOCK_N * CLUSTER_N);
    order.splits = splits;
    order.group = product.tile_group;
    int works = order.tiles_m * order.tiles_n * splits * batches;
    int first_work = blockIdx.x / CLUSTER;
    int clusters = gridDim.x / CLUSTER;

    if (warpgroup == 0) {
        if constexpr (REALLOCATES_REGISTERS)
            give_registers_back<PRODUCER_REGISTERS>();
        if (thread == 0) {
            // The blocks with which this one shares its tile of A (same row of tiles) and of B (same column).
            unsigned short sharing_a = 0, sharing_b = 0;
            for (int i = 0; i < CLUSTER_N; ++i)
                sharing_a |= 1 << (rank_m + CLUSTER_M * i);
            for (int i = 0; i < CLUSTER_M; ++i)
                sharing_b |= 1 << (rank_n * CLUSTER_M + i);
            Turn turn;
            for (int index = first_work; index < works; index += clusters) {
                Work work = order.at(index);
                int row = (work.tile_m * CLUSTER_M + rank_m) * BLOCK_M;
                int column = (work.tile_n * CLUSTER_N + rank_n) * BLOCK_N;
                int batch_1 = work.batch % batches_1, batch_2 = work.batch / batches_1;
                int batch_a = batch_1 * product.a_batch_1 + batch_2 * product.a_batch_2;
                int batch_b = batch_1 * product.b_batch_1 + batch_2 * product.b_batch_2;
                int first = work.split * k_blocks_per_split;
                int last = min(first + k_blocks_per_split, k_blocks);
#pragma unroll 1
                for (int block = first; block < last; ++block)
#pragma unroll 1
                    for (int number = 0; number < PLANES; ++number) {
                        int plane = plane_in_turn(number);
                        barrier_wait(&stages.empty[turn.stage], turn.parity ^ 1);
                        Barrier* full = &stages.full[turn.stage];
                        barrier_arrive_expecting(full, A_BYTES + B_BYTES);
                        load_tile<A_K_MAJOR, BLOCK_M, CLUSTER_N, true>(stages.a + turn.stage * A_BYTES, maps.a, full,
                                                                       row, block * BLOCK_K, plane, batch_a, rank_n,
                                                                       sharing_a);
                        load_tile<B_K_MAJOR, BLOCK_N, CLUSTER_M, true>(stages.b + turn.stage * B_BYTES, maps.b, full,
                                                                       column, block * BLOCK_K, plane, batch_b, rank_m,
                                                                       sharing_b);
                        turn.next();
                    }
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
        SumsInMemory in_memory(waiting, consumer, thread);
        if (consumer == 1)
            pass_turn(consumer);

        auto a_of = [&](const Turn& at) { return shared_address(stages.a + at.stage * A_BYTES); };
        auto b_of = [&](const Turn& at) { return shared_address(stages.b + at.stage * B_BYTES); };
        auto wait_for = [&](const Turn& at) { barrier_wait(&stages.full[at.stage], at.parity); };
        auto give_back = [&](const Turn& at) { leave_stage(stages, at.stage, lane); };
        int first_tile = consumer * M_TILES;
        Turn turn;
        float sums[M_TILES][BLOCK_N / 2], promoted[M_TILES][BLOCK_N / 2];
#if PLANES == 2
        float corrections[M_TILES][BLOCK_N / 2];
#endif
        for (int index = first_work; index < works; index += clusters) {
            Work work = order.at(index);
            int first = work.split * k_blocks_per_split;
            int last = min(first + k_blocks_per_split, k_blocks);
            int batch_1 = work.batch % batches_1, batch_2 = work.batch / batches_1;
            TileAt at{(work.tile_m * CLUSTER_M + rank_m) * BLOCK_M, (work.tile_n * CLUSTER_N + rank_n) * BLOCK_N,
                      splits > 1 ? work.split : batch_1, splits > 1 ? work.batch : batch_2};
            int own_row = at.row + consumer * M_TILES * WARPGROUP_ROWS;
#if EPILOGUE
            Epilogue epilogue{c_operand, bias, scalars};
            epilogue.enter_batch(at.batch_1, at.batch_2);
            const BiasInWarp bias_held(epilogue, own_row, 1, at.column, m, n, thread);
#endif

            clear(promoted);
            int group_end = first + product.group_blocks;
#if PLANES == 2
            bool is_first = true; // block of a group
            Turn low_before, high_before;
#endif
#pragma unroll 1
            for (int block = first; block < last; ++block) {
                if (block == group_end) {
#if PLANES == 2
                    wgmma_wait<0>();
                    promote(promoted, corrections, LOW_PARTS_SCALE);
                    is_first = true;
#endif
                    in_memory.add(promoted, sums, group_end == first + product.group_blocks);
                    clear(promoted);
                    group_end += product.group_blocks;
                }
#if PLANES == 3
                // The corrections first, while the sum is small; then a half of high x high, promoted with them.
                Turn middle = turn;
                turn.next();
                Turn high = turn;
                turn.next();
                Turn low = turn;
                turn.next();
                wait_for(middle);
                wait_for(high);
                take_turn(consumer);
                multiply_stage(sums, a_of(middle), b_of(high), first_tile, false);
                multiply_stage(sums, a_of(high), b_of(middle), first_tile, true);
                multiply_stage(sums, a_of(middle), b_of(middle), first_tile, true);
                wait_for(low);
                multiply_stage(sums, a_of(low), b_of(high), first_tile, true);
                multiply_stage(sums, a_of(high), b_of(low), first_tile, true);
                wgmma_wait<2>();
                give_back(middle);
                multiply_stage(sums, a_of(high), b_of(high), first_tile, true, 0, PROMOTE_STEPS);
                if (consumer == 0 || block < last - 1 || index + clusters < works)
                    pass_turn(consumer);
                wgmma_wait<1>();
                give_back(low);
                wgmma_wait<0>();
                promote(promoted, sums);
                multiply_stage(sums, a_of(high), b_of(high), first_tile, false, PROMOTE_STEPS);
                wgmma_wait<0>();
                give_back(high);
                promote(promoted, sums);
            }
#else
                // Corrections, 2^11 larger than they are, have sums of their own, which stay small: they are promoted
                // once for each group, and give the tensor cores work while products of high parts are promoted.
                Turn low = turn;
                turn.next();
                Turn high = turn;
                turn.next();
                wait_for(low);
                wait_for(high);
                multiply_stage(sums, a_of(high), b_of(high), first_tile, false, 0, PROMOTE_STEPS);
                multiply_stage(corrections, a_of(low), b_of(high), first_tile, !is_first);
                wgmma_wait<1>();
                if (block > first) {
                    give_back(low_before);
                    give_back(high_before);
                }
                promote(promoted, sums);
                multiply_stage(sums, a_of(high), b_of(high), first_tile, false, PROMOTE_STEPS);
                multiply_stage(corrections, a_of(high), b_of(low), first_tile, true);
                wgmma_wait<1>();
                promote(promoted, sums);
                low_before = low;
                high_before = high;
                is_first = false;
            }
            wgmma_wait<0>();
            give_back(low_before);
            give_back(high_before);
            promote(promoted, corrections, LOW_PARTS_SCALE);
#endif
            if (group_end > first + product.group_blocks)
                in_memory.add_to(promoted, sums);

            // Which sums are to be computed again, then the sums as they would have been without scales.
            int batch_a = batch_1 * product.a_batch_1 + batch_2 * product.a_batch_2;
            int batch_b = batch_1 * product.b_batch_1 + batch_2 * product.b_batch_2;
#pragma unroll
            for (int i = 0; i < M_TILES; ++i) {
                int row = own_row + i * WARPGROUP_ROWS;
                int of_a = flags_between(flags_a, m, product.k, batch_a, row, row + WARPGROUP_ROWS, first, last);
                int of_b = flags_between(flags_b, n, product.k, batch_b, at.column, at.column + BLOCK_N, first, last);
                bool suspect = false;
#if PLANES == 2
                suspect = has_lost_bits(promoted[i], of_a + of_b, row, at.column, m, n, thread);
                undo_scales(promoted[i], exponents_a + static_cast<long long>(batch_a) * m,
                            exponents_b + static_cast<long long>(batch_b) * n, row, at.column, m, n, thread);
#endif
                suspect |= is_suspect(promoted[i], of_a, of_b, row, at.column, m, n, thread);
                long long layer = static_cast<long long>(work.batch) * splits + work.split;
                long long strip = layer * (order.tiles_m * CLUSTER_M * BLOCK_M / 16) + row / 16 + thread / 32;
                if (lane == 0)
                    suspects[strip * (order.tiles_n * CLUSTER_N) + at.column / BLOCK_N] = suspect;
                if (lane == 0 && suspect)
                    *any_suspect = 1;
            }

#if EPILOGUE
            ask_for_epilogue(epilogue, own_row, 1, at.column, m, n, thread);
            COperandInStages<true> staged{stages, turn, consumer, thread};
#pragma unroll
            for (int i = 0; i < M_TILES; ++i)
                finish(promoted[i], epilogue, bias_held, staged, i, own_row + i * WARPGROUP_ROWS, 1, at.column, m, n,
                       thread);
#endif
#pragma unroll
            for (int i = 0; i < M_TILES; ++i) {
                Results results;
                results.take(promoted[i]);
                store_tile(out, results, at, (consumer * M_TILES + i) * WARPGROUP_ROWS, thread);
            }
        }
#if STORES_BOXES
        if (thread == 0)
            wait_for_stores_to_read<0>();
#endif
    }
    // A block must not end while another of its cluster still writes to it.
    if constexpr (CLUSTER > 1)
        cluster_sync();
}
