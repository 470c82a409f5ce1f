// Products of a 16-bit matrix of few rows by a large one: every element of B is needed once, and memory sets the pace.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), m at most BLOCK_M, any n and k, up to two batch extents. Lines of B
//         begin on 16 bytes.
// The idea: what matters is how many bytes are on their way at any time, and how few instructions each one takes. So B
//         goes straight from memory to registers, 16 bytes a load, a chunk of k at a time, in the very places that the
//         tensor cores want: which of the k elements an instruction calls its first is free, as long as A agrees, and
//         so is which column. n alone does not keep the chip busy: warps divide k, and so do the blocks of a cluster,
//         and their sums are added in shared memory, always in the same order.
// Launch: WARPS_N x WARPS_K warps; blocks of a cluster are neighbours. Dynamic shared memory: the sums of all warps.
// Seeds:  000 and 004 (guards at edges), 003 (sums shared among threads).
// New:    no tile in shared memory at all; the inner dimension is split without a second kernel and without atomics.
// Next:   mma_sync.cu and wgmma.cu for more rows, where tiles are used again.
//
// Macros: ELEMENT (__half, __nv_bfloat16), OUTPUT (ELEMENT or float); those of epilogue.cuh; BLOCK_M (a multiple of
// 8), CHUNK (of k that a warp takes at a time: 32 or 64), WARPS_N, WARPS_K, BLOCKS_PER_SM; SPLITS: blocks of a cluster (1: there are no clusters); B_K_MAJOR: 1 where
// elements along k are neighbours in memory, else those of a row of B are; A_PIECE: 8 where eight elements of a row of
// A are one load, else 1.
// Parameters: those of strided.cuh, those of the epilogue.

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef OUTPUT
#define OUTPUT ELEMENT
#endif
#include "include/epilogue.cuh"

#ifndef BLOCK_M
#define BLOCK_M 16
#define CHUNK 64
#define WARPS_N 1
#define WARPS_K 8
#define BLOCKS_PER_SM 2
#define SPLITS 1
#define B_K_MAJOR 0
#define A_PIECE 8
#endif
#include "include/mma_sync.cuh"

const int THREADS = 32 * WARPS_N * WARPS_K;
const int WARP_N = 64, BLOCK_N = WARP_N * WARPS_N, PARTS = CHUNK / 32, TILES = (BLOCK_M + 15) / 16;
static_assert(BLOCK_M % 8 == 0 && CHUNK % 32 == 0, "a lane has every eighth row, and eight of each 32 along k");
#include "include/strided.cuh"

using Sums = float[TILES][8][4];

// A row of a warp's sums in shared memory: longer than they are, so that rows lie in different banks.
const int SUMS_PITCH = BLOCK_N + 4;

__device__ inline unsigned word_of(const uint4& piece, int i)
{
    return i == 0 ? piece.x : i == 1 ? piece.y : i == 2 ? piece.z : piece.w;
}

// Eight elements, or 0 where they lie outside.
__device__ inline uint4 load_piece(const ELEMENT* from, bool inside)
{
    return inside ? __ldg((const uint4*)from) : make_uint4(0, 0, 0, 0);
}

// What a lane holds of CHUNK elements along k: of each 32, lane l has the eight from 8 (l % 4) on, of rows l / 4 + 8 i of
// A. Of B it has columns l / 4 + 8 j where they run along k, else the eight columns from 8 (l / 4) on in eight rows.
struct Chunk {
    uint4 a[PARTS][BLOCK_M / 8], b[PARTS][8];
};

struct Loader {
    const ELEMENT *a, *b;
    long long a_row_stride, a_column_stride, b_line_stride;
    int m, n, k, column;

    __device__ void load(Chunk& chunk, int first) const
    {
        int lane = threadIdx.x % 32, inner = first + lane % 4 * 8;
#pragma unroll
        for (int i = 0; i < 8; ++i)
#pragma unroll
            for (int part = 0; part < PARTS; ++part)
                if constexpr (B_K_MAJOR) {
                    int at = column + lane / 4 + 8 * i, from = inner + 32 * part;
                    chunk.b[part][i] = load_piece(b + at * b_line_stride + from, at < n && from < k);
                } else {
                    int at = column + lane / 4 * 8, from = inner + 32 * part + i;
                    chunk.b[part][i] = load_piece(b + from * b_line_stride + at, from < k && at < n);
                }
#pragma unroll
        for (int i = 0; i < BLOCK_M / 8; ++i)
#pragma unroll
            for (int part = 0; part < PARTS; ++part)
                chunk.a[part][i] = load_a(lane / 4 + 8 * i, inner + 32 * part);
    }

    // Eight elements of a row of A.
    __device__ uint4 load_a(int row, int inner) const
    {
        if constexpr (A_PIECE == 8) {
            return load_piece(a + row * a_row_stride + inner, row < m && inner < k);
        } else {
            alignas(16) unsigned short elements[8];
#pragma unroll
            for (int i = 0; i < 8; ++i)
                elements[i] = row < m && inner + i < k
                                  ? ((const unsigned short*)a)[row * a_row_stride + (inner + i) * a_column_stride]
                                  : (unsigned short)0;
            return *(const uint4*)elements;
        }
    }
};

// Multiply a chunk, 16 of k an instruction: four neighbours of each lane at a time.
__device__ inline void multiply(const Chunk& chunk, Sums& sums)
{
#pragma unroll
    for (int step = 0; step < 2 * PARTS; ++step) {
        const uint4 *a = chunk.a[step / 2], *b = chunk.b[step / 2];
        const int word = step % 2 * 2;
#pragma unroll
        for (int j = 0; j < 8; ++j) {
            unsigned of_b[2];
#pragma unroll
            for (int pair = 0; pair < 2; ++pair)
                if constexpr (B_K_MAJOR)
                    of_b[pair] = word_of(b[j], word + pair);
                else
                    of_b[pair] = __byte_perm(word_of(b[2 * word + 2 * pair], j / 2),
                                             word_of(b[2 * word + 2 * pair + 1], j / 2), j % 2 ? 0x7632 : 0x5410);
#pragma unroll
            for (int i = 0; i < TILES; ++i) {
                uint4 top = a[2 * i], bottom = 2 * i + 1 < BLOCK_M / 8 ? a[2 * i + 1] : make_uint4(0, 0, 0, 0);
                unsigned of_a[4] = {word_of(top, word), word_of(bottom, word), word_of(top, word + 1),
                                    word_of(bottom, word + 1)};
                multiply_add(sums[i][j], of_a, of_b);
            }
        }
    }
}

// A warp's sums to shared memory, row by row, in the order of C's columns.
__device__ inline void put_sums(float* to, const Sums& sums)
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < TILES; ++i)
#pragma unroll
        for (int half = 0; half < 2 && 16 * i + 8 * half < BLOCK_M; ++half) {
            float* row = to + (16 * i + 8 * half + lane / 4) * SUMS_PITCH;
#pragma unroll
            for (int j = 0; j < 8; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e)
                    row[B_K_MAJOR ? 8 * j + lane % 4 * 2 + e : (lane % 4 * 2 + e) * 8 + j] = sums[i][j][2 * half + e];
        }
}

// Which block of its cluster this is.
__device__ inline int split_of_block()
{
    unsigned rank = 0;
    if constexpr (SPLITS > 1)
        asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return (int)rank;
}

// All threads of the cluster; what they wrote to shared memory before is seen by all after.
__device__ inline void sync_splits()
{
    if constexpr (SPLITS > 1)
        asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    else
        __syncthreads();
}

// Four sums that another block of the cluster has at the place of `own`.
__device__ inline float4 sums_of(const float* own, int split)
{
    if constexpr (SPLITS == 1)
        return *(const float4*)own;
    float4 found;
    asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %4, %5;\n"
                 "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [remote];\n}"
                 : "=f"(found.x), "=f"(found.y), "=f"(found.z), "=f"(found.w)
                 : "r"((unsigned)__cvta_generic_to_shared(own)), "r"(split)
                 : "memory");
    return found;
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    matmul_few_rows(OPERAND_PARAMETERS EPILOGUE_PARAMETERS)
{
    extern __shared__ __align__(16) float block_sums[];
    int split = split_of_block(), warp = threadIdx.x / 32, warp_n = warp % WARPS_N, warp_k = warp / WARPS_N;
    Tile tile = tile_at(blockIdx.x / SPLITS, m, n, batches_1);
    // Chunks go round the warps of all blocks of the cluster, so that the whole chip sweeps through B from one end to
    // the other. Past the end everything is 0.
    const int turns = SPLITS * WARPS_K * CHUNK;

    Loader loader = {A + tile.batch_1 * a_batch_stride_1 + tile.batch_2 * a_batch_stride_2 + tile.row * a_row_stride,
                     B + tile.batch_1 * b_batch_stride_1 + tile.batch_2 * b_batch_stride_2,
                     a_row_stride,
                     a_column_stride,
                     B_K_MAJOR ? b_column_stride : b_row_stride,
                     m - tile.row,
                     n,
                     k,
                     tile.column + warp_n * WARP_N};
    Sums sums = {};
    for (long long inner = (split * WARPS_K + warp_k) * CHUNK; inner < k; inner += turns) {
        Chunk chunk;
        loader.load(chunk, (int)inner);
        multiply(chunk, sums);
    }
    put_sums(block_sums + warp_k * BLOCK_M * SUMS_PITCH + warp_n * WARP_N, sums);
    sync_splits();

    OUTPUT* c = C + tile.batch_1 * c_batch_stride_1 + tile.batch_2 * c_batch_stride_2;
    Epilogue epilogue = EPILOGUE_ARGUMENTS;
    epilogue.enter_batch(tile.batch_1, tile.batch_2);
    // Each block of the cluster stores a share of the results, four columns a thread.
    const int groups = BLOCK_N / 4;
    for (int index = split * THREADS + threadIdx.x; index < BLOCK_M * groups; index += SPLITS * THREADS) {
        int y = index / groups, x = index % groups * 4, row = tile.row + y, column = tile.column + x;
        if (row >= m)
            break;
        float results[4] = {};
#pragma unroll
        for (int other = 0; other < SPLITS; ++other)
#pragma unroll
            for (int part = 0; part < WARPS_K; ++part) {
                float4 found = sums_of(block_sums + (part * BLOCK_M + y) * SUMS_PITCH + x, other);
                results[0] += found.x;
                results[1] += found.y;
                results[2] += found.z;
                results[3] += found.w;
            }
#pragma unroll
        for (int i = 0; i < 4; ++i)
            if (column + i < n)
                round_into(c[row * c_row_stride + (column + i) * c_column_stride],
                           epilogue(results[i], row, column + i));
    }
    // Nobody leaves while others read its sums.
    if constexpr (SPLITS > 1)
        sync_splits();
}
