// A tile of the wgmma kernels: how many bytes a stage of it has, what one consumer does with one stage, and how its
// threads hold sums and results.
#pragma once

#include "device/memory/operand.cuh"
#include "device/mma/wgmma.cuh"

#ifndef A_IN_REGISTERS
#define A_IN_REGISTERS 0 // but in wgmma.cu
#define A_BY_ROWS 0
#endif
#ifndef B_COPIED
#define B_COPIED 0 // but in wgmma_small.cu
#endif

constexpr int CLUSTER = CLUSTER_M * CLUSTER_N;
constexpr int M_TILES = BLOCK_M / (WARPGROUP_ROWS * CONSUMERS); // of 64 rows, per consumer
constexpr int B_BLOCKS = (BLOCK_N + ROW_ELEMENTS - 1) / ROW_ELEMENTS;
// Threads read four k by eight rows of A at once: from 32 banks where rows of k are 8 banks apart (row_copies.cuh).
constexpr int A_ROW_ELEMENTS = BLOCK_M + 8;
constexpr int A_BYTES = (A_BY_ROWS ? A_ROW_ELEMENTS : BLOCK_M) * BLOCK_K * OPERAND_BYTES;
constexpr int B_BYTES = (B_K_MAJOR || B_COPIED ? BLOCK_N : ROW_ELEMENTS * B_BLOCKS) * BLOCK_K * OPERAND_BYTES;

static_assert(BLOCK_M % (WARPGROUP_ROWS * CONSUMERS) == 0, "a consumer has whole instructions");
static_assert(BLOCK_N % 8 == 0 && BLOCK_N <= 256, "wgmma has these widths");
static_assert(BLOCK_K % ROW_ELEMENTS == 0, "rows of a stage are whole");
static_assert(OPERAND_BYTES == 2 || ((A_K_MAJOR || A_IN_REGISTERS) && B_K_MAJOR), "tf32 is read along k");
static_assert(!B_K_MAJOR || B_BYTES % SWIZZLE_ATOM_BYTES == 0, "stages begin on 1024 bytes");
static_assert(BLOCK_K % (SWIZZLE_ROWS * CLUSTER) == 0, "parts along k");
static_assert(BLOCK_M % (SWIZZLE_ROWS * CLUSTER_N) == 0, "parts of A's rows");
static_assert(BLOCK_N % (SWIZZLE_ROWS * CLUSTER_M) == 0, "parts of B's columns");

// The sums of one consumer for one stage: M_TILES x (BLOCK_K / K_STEP) instructions, or those of some of its steps.
__device__ __forceinline__ void multiply_stage(float (&sums)[M_TILES][BLOCK_N / 2], unsigned a, unsigned b,
                                               int first_block, bool keep, int first_step = 0,
                                               int end_step = BLOCK_K / K_STEP)
{
    wgmma_fence();
#pragma unroll
    for (int step = first_step; step < end_step; ++step) {
        // Along k a row of a K-major tile has four steps side by side; of an MN-major one each step is 16 rows.
        int in_row = step % K_STEPS_OF_ROW * K_STEP_BYTES, rows = step * K_STEP;
        unsigned b_at = B_K_MAJOR ? step / K_STEPS_OF_ROW * BLOCK_N * SWIZZLE_BYTES + in_row : rows * SWIZZLE_BYTES;
        unsigned long long b_tile =
            B_COPIED ? lines_descriptor(b + rows * VECTOR_BYTES, BLOCK_K * VECTOR_BYTES)
                     : tile_descriptor(b + b_at, B_K_MAJOR ? ONE_BLOCK : BLOCK_K * SWIZZLE_BYTES);
#pragma unroll
        for (int i = 0; i < M_TILES; ++i) {
            int block = first_block + i;
            unsigned a_at = A_K_MAJOR ? step / K_STEPS_OF_ROW * BLOCK_M * SWIZZLE_BYTES +
                                            block * WARPGROUP_ROWS * SWIZZLE_BYTES + in_row
                                      : block * BLOCK_K * SWIZZLE_BYTES + rows * SWIZZLE_BYTES;
            unsigned long long a_tile = tile_descriptor(a + a_at, A_K_MAJOR ? ONE_BLOCK : BLOCK_K * SWIZZLE_BYTES);
            wgmma(sums[i], a_tile, b_tile, keep || step > first_step);
        }
    }
    wgmma_end_group();
}

// A thread has its sums as pairs of neighbours, and what the epilogue reads for them is read in pairs, too: so many
// of a row together.
constexpr int PAIRS_AT_ONCE = BLOCK_N % 64 == 0 ? 8 : BLOCK_N % 32 == 0 ? 4 : BLOCK_N % 16 == 0 ? 2 : 1;

template <typename T> struct alignas(2 * sizeof(T)) PairOf {
    T first, second;
};

// For a thread's two rows of a tile, which are eight apart.
template <typename T> struct PairsOf {
    PairOf<T> at[2][PAIRS_AT_ONCE];
};

// Results are sums rounded to the type of C, two 16-bit neighbours in one register. They take half the registers of the
// sums: so the next tile's sums and this tile's results fit a thread together, and a tile is stored while the tensor
// cores already multiply for the next one. wgmma.cu does so; store.cuh stores.
template <typename Stored> struct Register {
    using Type = unsigned; // of two 16-bit results
};
template <> struct Register<float> {
    using Type = float;
};

// A thread's results of a 64 x N tile, in the order of its sums.
template <typename Stored> struct ResultsOf {
    typename Register<Stored>::Type value[BLOCK_N * sizeof(Stored) / 8];

    __device__ __forceinline__ void take(const float (&sums)[BLOCK_N / 2])
    {
        if constexpr (sizeof(Stored) == 2) {
#pragma unroll
            for (int i = 0; i < BLOCK_N / 4; ++i)
                value[i] = packed(Stored(), sums[2 * i], sums[2 * i + 1]);
        } else {
#pragma unroll
            for (int i = 0; i < BLOCK_N / 2; ++i)
                value[i] = sums[i];
        }
    }

    __device__ __forceinline__ Stored at(int i) const
    {
        if constexpr (sizeof(Stored) == 2) {
            unsigned short bits = static_cast<unsigned short>(value[i / 2] >> i % 2 * 16);
            return *reinterpret_cast<Stored*>(&bits);
        } else {
            return value[i];
        }
    }
};

using Results = ResultsOf<OUTPUT>;
