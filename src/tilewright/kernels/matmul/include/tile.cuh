// A tile of the wgmma kernels: how many bytes a stage of it has, and what one consumer does with one stage.
#pragma once

#include "include/element.cuh"
#include "include/wgmma.cuh"

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
