// A tile of the wgmma kernels: how many bytes a stage of it has, and what one consumer does with one stage.
#pragma once

#include "device/memory/element.cuh"
#include "device/mma/wgmma.cuh"

constexpr int CLUSTER = CLUSTER_M * CLUSTER_N;
constexpr int M_TILES = BLOCK_M / (64 * CONSUMERS); // of 64 rows, per consumer
constexpr int B_BLOCKS = (BLOCK_N + 63) / 64;
constexpr int A_BYTES = BLOCK_M * BLOCK_K * 2;
constexpr int B_BYTES = (B_K_MAJOR ? BLOCK_N : 64 * B_BLOCKS) * BLOCK_K * 2;

static_assert(BLOCK_M % (64 * CONSUMERS) == 0 && BLOCK_N % 8 == 0 && BLOCK_N <= 256 && BLOCK_K % 64 == 0, "tile");
static_assert(!B_K_MAJOR || B_BYTES % 1024 == 0, "stages begin on 1024 bytes");
static_assert(BLOCK_K % (8 * CLUSTER) == 0, "parts along k");
static_assert(BLOCK_M % (8 * CLUSTER_N) == 0 && BLOCK_N % (8 * CLUSTER_M) == 0, "parts of rows and columns");

// The sums of one consumer for one stage: M_TILES x (BLOCK_K / 16) instructions.
__device__ __forceinline__ void multiply_stage(float (&sums)[M_TILES][BLOCK_N / 2], unsigned a, unsigned b,
                                               int first_block, bool keep)
{
    wgmma_fence();
#pragma unroll
    for (int step = 0; step < BLOCK_K / 16; ++step) {
        unsigned b_at = B_K_MAJOR ? step / 4 * BLOCK_N * 128 + step % 4 * 32 : step * 16 * 128;
        unsigned long long b_tile = tile_descriptor(b + b_at, B_K_MAJOR ? 16 : BLOCK_K * 128);
#pragma unroll
        for (int i = 0; i < M_TILES; ++i) {
            int block = first_block + i;
            unsigned a_at = A_K_MAJOR ? step / 4 * BLOCK_M * 128 + block * 64 * 128 + step % 4 * 32
                                      : block * BLOCK_K * 128 + step * 16 * 128;
            wgmma(sums[i], tile_descriptor(a + a_at, A_K_MAJOR ? 16 : BLOCK_K * 128), b_tile, keep || step > 0);
        }
    }
    wgmma_end_group();
}

// Pairs of neighbours, which is how a thread has its sums: what the epilogue reads for them is read in pairs, too.

// How many pairs of a row are loaded together.
constexpr int PAIRS_AT_ONCE = BLOCK_N % 64 == 0 ? 8 : BLOCK_N % 32 == 0 ? 4 : BLOCK_N % 16 == 0 ? 2 : 1;

template <typename T> struct alignas(2 * sizeof(T)) PairOf {
    T first, second;
};

// In two rows, eight apart.
template <typename T> struct PairsOf {
    PairOf<T> at[2][PAIRS_AT_ONCE];
};

// Sums that are done, on their way out: rounded to the type of C, two 16-bit neighbours in one register.
//
// Half the registers of the sums hold them. So the next tile's sums and this tile's results fit a thread together, and
// a tile is stored while the tensor cores already multiply for the next one. wgmma.cu does so; store.cuh stores.

template <typename Stored>
struct Register {
    typedef unsigned Type; // of two 16-bit results
};
template <>
struct Register<float> {
    typedef float Type;
};

// A thread's results of a 64 x N tile, in the order of its sums.
template <typename Stored>
struct ResultsOf {
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

typedef ResultsOf<OUTPUT> Results;
