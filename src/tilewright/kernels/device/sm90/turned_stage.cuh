// A stage of tf32 whose A lies along m: the threads read A from shared memory, the tensor cores B alone.
//
// The tensor cores read tf32 from shared memory along k only. From registers they take A as they take it of mma.sync:
// element by element, so it does not matter how it lies. A lane reads its four numbers of 16 rows by 8 of k one by one:
// lanes next to each other in k read rows of 128 bytes whose vectors are swizzled differently, two of them the same
// banks. A product whose B lies along n, as most matrices do, is computed transposed: C^T = B^T A^T.
#pragma once

#include "device/mma/wgmma_rows.cuh"
#include "device/sm90/row_copies.cuh"
#include "device/sm90/tile.cuh"

constexpr int STEPS_OF_STAGE = BLOCK_K / K_STEP;
static_assert(OPERAND_BYTES == 4 && !A_K_MAJOR && B_K_MAJOR, "tf32, with A along m and B along k");

// What a thread holds of A for one stage.
using HeldA = unsigned[M_TILES][STEPS_OF_STAGE][4];

__device__ __forceinline__ unsigned load_word(unsigned address)
{
    unsigned word;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

// A number as the copy engine rounds it when it loads a box: to 11 significant bits, to the nearest, ties to even.
__device__ __forceinline__ unsigned as_tf32(unsigned word)
{
    unsigned rounded;
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(word)));
    return rounded;
}

// Read a consumer's rows of A, those from block `first_block` of 64 on: register r of a step is row
// lane / 4 + r % 2 * 8 of the warp's 16, at k = lane % 4 + r / 2 * 4. `shift`: of that k, where rows of k begin
// anywhere (row_copies.cuh).
__device__ __forceinline__ void hold(HeldA& held, unsigned a, int first_block, int thread, int shift)
{
    int row = thread / 32 * 16 + thread % 32 / 4, k = thread % 4;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
        int m = row + r % 2 * 8;
#if A_BY_ROWS
        constexpr int STEP_BYTES = K_STEP * A_ROW_BYTES, TILE_BYTES = WARPGROUP_ROWS * OPERAND_BYTES;
        unsigned at = a + first_block * TILE_BYTES + (k + r / 2 * 4) * A_ROW_BYTES + (m + shift) * OPERAND_BYTES;
#else
        constexpr int STEP_BYTES = K_STEP * SWIZZLE_BYTES;
        constexpr int TILE_BYTES = WARPGROUP_ROWS / ROW_ELEMENTS * BLOCK_K * SWIZZLE_BYTES;
        unsigned at = a + first_block * TILE_BYTES + m / ROW_ELEMENTS * BLOCK_K * SWIZZLE_BYTES +
                      swizzled<SWIZZLE_BYTES>((k + r / 2 * 4) * SWIZZLE_BYTES + m % ROW_ELEMENTS * OPERAND_BYTES);
#endif
#pragma unroll
        for (int i = 0; i < M_TILES; ++i)
#pragma unroll
            for (int step = 0; step < STEPS_OF_STAGE; ++step) {
                unsigned word = load_word(at + i * TILE_BYTES + step * STEP_BYTES);
                held[i][step][r] = A_BY_ROWS ? as_tf32(word) : word;
            }
    }
}

// The sums of one consumer for one stage.
__device__ __forceinline__ void multiply_held(float (&sums)[M_TILES][BLOCK_N / 2], HeldA& held, unsigned b, bool keep)
{
#pragma unroll
    for (int i = 0; i < M_TILES; ++i)
        wgmma_rows_begin(held[i]);
#pragma unroll
    for (int step = 0; step < STEPS_OF_STAGE; ++step) {
        unsigned b_at = step / K_STEPS_OF_ROW * BLOCK_N * SWIZZLE_BYTES + step % K_STEPS_OF_ROW * K_STEP_BYTES;
        unsigned long long b_tile = tile_descriptor(b + b_at, ONE_BLOCK);
#pragma unroll
        for (int i = 0; i < M_TILES; ++i)
            wgmma_rows(sums[i], held[i][step], b_tile, keep || step > 0);
    }
    wgmma_end_group();
}
