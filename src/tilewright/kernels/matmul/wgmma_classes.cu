// Products of 16-bit matrices with few columns on Hopper's tensor cores, where the long operand's lines are unaligned.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), n up to BLOCK_N; rows or columns of A are contiguous, of any size;
//         any strides of B and C. (Few rows are the transposed product.)
// The idea: each number of A is used n times, so to repack A first is to move it three times. The copy engine reads
//   only from multiples of 16 bytes; but of lines of any size every eighth begins equally far past one, so a class of
//   lines is a matrix that the engine can address, from the boundaries before them on.
//   Lines along k (A_K_MAJOR): a tile has rows of one class. Its first column is k = -shift, and B is read from there.
//   Lines across k: a tile takes one class of k after the other. The sums of a class lie `shift` rows further down than
//   they should, so each class's sums are added in shared memory, where they belong.
// Launch: blockIdx.x is the tile, blockIdx.z the part of k; a warp requests tiles of A, two copy B, and each of the
//   consumers, warpgroups, multiplies 64 rows.
// Seeds:  000 (boundary checks: here by hardware), 004 (the tiled product).
// New:    sums of classes that meet in shared memory, so that classes of k are no splits. (wgmma.cu makes them splits:
//         where C is large, sums in shared memory find no room.)
// Next:   wgmma_small.cu, where lines are aligned.
//
// Macros: ELEMENT (__half, __nv_bfloat16), OUTPUT (ELEMENT or float); those of epilogue.cuh; A_K_MAJOR; BLOCK_M (64
// CONSUMERS), BLOCK_N (8, 16), BLOCK_K (64), STAGES, CONSUMERS, BLOCKS_PER_SM.

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef OUTPUT
#define OUTPUT ELEMENT
#endif
#ifndef BLOCK_M
#define A_K_MAJOR 0
#define BLOCK_M 128
#define BLOCK_N 8
#define BLOCK_K 64
#define STAGES 4
#define CONSUMERS 2
#define BLOCKS_PER_SM 2
#endif
#define B_K_MAJOR 0
#define B_COPIED 1
#define BATCHED 0
#define CLUSTER_M 1
#define CLUSTER_N 1
#include "device/epilogue/epilogue.cuh"
#include "device/memory/operand.cuh"
#include "device/sm90/stages.cuh"

constexpr int CLASSES = 8; // of lines of 16-bit elements, until one begins as far past a boundary as the first
constexpr int CONSUMER_THREADS = WARPGROUP_THREADS * CONSUMERS;
constexpr int COPIERS = BLOCK_K / 32; // warps that copy B, a row of a stage each lane
constexpr int THREADS = CONSUMER_THREADS + (1 + COPIERS) * 32;
constexpr int OWN_ROWS = A_K_MAJOR ? BLOCK_M : BLOCK_M - VECTOR_ELEMENTS; // of a tile, wherever its classes begin
constexpr int CLASSES_OF_TILE = A_K_MAJOR ? 1 : CLASSES;
constexpr int SUMS_PITCH = BLOCK_N + 1;
constexpr int SHARED_BYTES = STAGES * (A_BYTES + B_BYTES + 2 * static_cast<int>(sizeof(Barrier))) +
                             OWN_ROWS * SUMS_PITCH * static_cast<int>(sizeof(float));
static_assert(M_TILES == 1 && BLOCK_K == ROW_ELEMENTS, "a consumer has 64 rows, and a stage one row of a box");
static_assert(SHARED_BYTES <= MOST_SHARED_BYTES, "stages, barriers and sums fit a block");

struct Maps {
    TensorMap a[CLASSES];
};

// Sizes and strides; line 1 of A begins shift_of_line_1 elements past a boundary. A part of k has blocks_per_split
// stages of each class; split_stride is from one part's sums to the next's.
struct Product {
    int m, n, k, shift_of_line_1, blocks, blocks_per_split;
    long long split_stride;
    Strides b, c;
};

// A stage of a tile: which class, and which BLOCK_K of its k.
struct Step {
    int line_class, first; // first: of the class's k, or of k from the boundary on

    __device__ __forceinline__ Step(const Product& product, int number, int begin, int per_class)
    {
        int in_tile = A_K_MAJOR ? 0 : number / per_class;
        line_class = A_K_MAJOR ? blockIdx.x % CLASSES : in_tile;
        first = (begin + number - in_tile * per_class) * BLOCK_K;
    }
};

__device__ __forceinline__ int shift_of(const Product& product, int line_class)
{
    return line_class * product.shift_of_line_1 & CLASSES - 1;
}

// A row of a stage of B: eight columns, or sixteen.
struct Narrow {
    static constexpr int GROUPS = BLOCK_N / 8;
    const int row = static_cast<int>(threadIdx.x) - CONSUMER_THREADS - 32;
    uint4 held[GROUPS];

    __device__ __forceinline__ Narrow(const ELEMENT* b, const Product& product, const Step& first)
    {
        load(b, product, first);
    }

    __device__ __forceinline__ void load(const ELEMENT* b, const Product& product, const Step& step)
    {
        const int at = step.first + row;
        const int k = A_K_MAJOR ? at - shift_of(product, step.line_class) : at * CLASSES + step.line_class;
        const int columns = k >= 0 && k < product.k ? product.n : 0;
        const unsigned short* elements = reinterpret_cast<const unsigned short*>(b) + k * product.b.row;
#pragma unroll
        for (int group = 0; group < GROUPS; ++group) {
            unsigned words[4];
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                int column = 8 * group + 2 * j;
                unsigned lower = column < columns ? __ldg(elements + column * product.b.column) : 0;
                unsigned upper = column + 1 < columns ? __ldg(elements + (column + 1) * product.b.column) : 0;
                words[j] = lower | upper << 16;
            }
            held[group] = make_uint4(words[0], words[1], words[2], words[3]);
        }
    }

    // To the stage, in lines of 16 bytes: eight columns at every k, then the next eight columns.
    __device__ __forceinline__ void put(unsigned char* stage) const
    {
#pragma unroll
        for (int group = 0; group < GROUPS; ++group)
            reinterpret_cast<uint4*>(stage)[group * BLOCK_K + row] = held[group];
        fence_shared_writes();
    }
};

// Overwrite the first `shift` elements of 64 rows of A, which are those of the rows before them and may be NaN.
__device__ __forceinline__ void clear_before_rows(unsigned char* rows, int shift, int thread)
{
    if (thread < WARPGROUP_ROWS) {
        unsigned short* vector = reinterpret_cast<unsigned short*>(rows + thread * SWIZZLE_BYTES +
                                                                   thread % SWIZZLE_ROWS * VECTOR_BYTES);
        for (int i = 0; i < shift; ++i)
            vector[i] = 0;
    }
    fence_shared_writes();
}

// A consumer's sums of a class to where they belong, the first class's alone, the others' added.
__device__ __forceinline__ void add_sums(float* all, const float (&sums)[BLOCK_N / 2], int first_row, int shift,
                                         bool is_first, int thread)
{
    const int row = first_row + thread / 32 * 16 + thread % 32 / 4 - shift, column = thread % 4 * 2;
#pragma unroll
    for (int i = 0; i < BLOCK_N / 2; ++i) {
        int y = row + i / 2 % 2 * 8, x = column + i / 4 * 8 + i % 2;
        if (y >= 0 && y < OWN_ROWS)
            all[y * SUMS_PITCH + x] = is_first ? sums[i] : all[y * SUMS_PITCH + x] + sums[i];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    matmul_wgmma_classes(const __grid_constant__ Maps maps, const ELEMENT* B, OUTPUT* C,
                         const COperandElement* c_operand, const BiasElement* bias,
                         const __grid_constant__ Product product, const __grid_constant__ EpilogueScalars scalars)
{
    extern __shared__ __align__(SWIZZLE_ATOM_BYTES) unsigned char shared[];
    Stages stages;
    stages.a = shared;
    stages.b = stages.a + STAGES * A_BYTES;
    stages.full = reinterpret_cast<Barrier*>(stages.b + STAGES * B_BYTES);
    stages.empty = stages.full + STAGES;
    float* all = reinterpret_cast<float*>(stages.empty + STAGES); // [OWN_ROWS][SUMS_PITCH]

    // Rows of the class where A lies along k, else rows of A.
    const int first_row = (A_K_MAJOR ? blockIdx.x / CLASSES : blockIdx.x) * OWN_ROWS;
    const int begin = blockIdx.z * product.blocks_per_split;
    const int per_class = min(product.blocks - begin, product.blocks_per_split), steps = CLASSES_OF_TILE * per_class;

    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            barrier_init(&stages.full[stage], 1 + 32 * COPIERS);
            barrier_init(&stages.empty[stage], WARPS_OF_WARPGROUP * CONSUMERS);
        }
        barrier_init_fence();
    }
    __syncthreads();
    wait_for_previous_kernel();

    if (threadIdx.x >= CONSUMER_THREADS + 32) {
        // The warps that copy B. The next rows are on their way while they wait for their stage.
        Narrow narrow(B, product, Step(product, 0, begin, per_class));
        Turn turn;
#pragma unroll 1
        for (int number = 0; number < steps; ++number, turn.next()) {
            if (number >= STAGES)
                barrier_wait(&stages.empty[turn.stage], turn.parity ^ 1);
            narrow.put(stages.b + turn.stage * B_BYTES);
            barrier_arrive(&stages.full[turn.stage]);
            narrow.load(B, product, Step(product, min(number + 1, steps - 1), begin, per_class));
        }
        return;
    }
    if (threadIdx.x >= CONSUMER_THREADS) {
        // The warp that requests tiles of A, by its first lane.
        Turn turn;
        if (threadIdx.x == CONSUMER_THREADS)
#pragma unroll 1
            for (int number = 0; number < steps; ++number, turn.next()) {
                const Step step(product, number, begin, per_class);
                if (number >= STAGES)
                    barrier_wait(&stages.empty[turn.stage], turn.parity ^ 1);
                barrier_arrive_expecting(&stages.full[turn.stage], A_BYTES);
                load_tile<A_K_MAJOR, BLOCK_M, 1>(stages.a + turn.stage * A_BYTES, maps.a[step.line_class],
                                                 &stages.full[turn.stage], first_row, step.first, 0, 0, 0, 0);
            }
        return;
    }

    const int consumer = threadIdx.x / WARPGROUP_THREADS, thread = threadIdx.x % WARPGROUP_THREADS;
    float sums[1][BLOCK_N / 2];
    Turn turn;
#pragma unroll 1
    for (int number = 0; number < CLASSES_OF_TILE; ++number) {
        const int shift = shift_of(product, A_K_MAJOR ? blockIdx.x % CLASSES : number);
        int previous = 0;
#pragma unroll 1
        for (int block = 0; block < per_class; ++block) {
            unsigned char* a = stages.a + turn.stage * A_BYTES;
            barrier_wait(&stages.full[turn.stage], turn.parity);
            if (A_K_MAJOR && begin + block == 0 && shift > 0) {
                clear_before_rows(a + consumer * WARPGROUP_ROWS * SWIZZLE_BYTES, shift, thread);
                warps_sync(2 + consumer, WARPGROUP_THREADS);
            }
            multiply_stage(sums, shared_address(a), shared_address(stages.b + turn.stage * B_BYTES), consumer,
                           block > 0);
            wgmma_wait<1>();
            if (block > 0)
                leave_stage(stages, previous, thread % 32);
            previous = turn.stage;
            turn.next();
        }
        wgmma_wait<0>();
        leave_stage(stages, previous, thread % 32);
        wgmma_finished(sums[0]);
        // The class before has been added.
        warps_sync(1, CONSUMER_THREADS);
        add_sums(all, sums[0], consumer * WARPGROUP_ROWS, A_K_MAJOR ? 0 : shift, number == 0, thread);
    }
    // So have all of them.
    warps_sync(1, CONSUMER_THREADS);

    Epilogue epilogue{c_operand, bias, scalars};
    epilogue.enter_batch(0, 0);
    OUTPUT* c = C + blockIdx.z * product.split_stride;
    for (int index = threadIdx.x; index < OWN_ROWS * product.n; index += CONSUMER_THREADS) {
        int column = index / OWN_ROWS, y = index - column * OWN_ROWS;
        int row = A_K_MAJOR ? (first_row + y) * CLASSES + blockIdx.x % CLASSES : first_row + y;
        if (row < product.m)
            round_into(c[row * product.c.row + column * product.c.column],
                       epilogue(all[y * SUMS_PITCH + column], row, column));
    }
}
