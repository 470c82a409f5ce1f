// Sums of 64 bits from the registers to C by the copy engine (TMA), while their warp goes on.
//
// A thread that stores waits until its stores are issued, and of a short k that is as long as the products take. Here a
// warp writes its results to shared memory, a lane asks for boxes of them to be stored, and the next tile begins. A box
// has 16 columns, rows of 128 bytes, swizzled (vectors.cuh): so that few threads meet in a bank, with no padding. What
// lies outside of C is not stored.
#pragma once

#include "device/epilogue/epilogue.cuh"
#include "device/memory/vectors.cuh"
#include "device/sm90/box_stores.cuh"

// ROWS x COLUMNS results of a warp, in boxes side by side. They begin on a multiple of SWIZZLE_ATOM_BYTES.
template <int ROWS, int COLUMNS> struct StagedBoxes {
    static constexpr int BOX_COLUMNS = SWIZZLE_BYTES / static_cast<int>(sizeof(OUTPUT));
    static constexpr int BOXES = COLUMNS / BOX_COLUMNS, BOX_BYTES = ROWS * SWIZZLE_BYTES;
    static_assert(COLUMNS % BOX_COLUMNS == 0 && BOX_BYTES % SWIZZLE_ATOM_BYTES == 0, "whole boxes, each swizzled");
    static_assert(sizeof(OUTPUT) == 8, "two results are a vector");

    // Wait until what was staged before has left.
    __device__ __forceinline__ static void wait()
    {
        wait_for_stores_to_read<0>();
        __syncwarp();
    }

    // Two results side by side; `row` and `column` count those of the warp.
    __device__ __forceinline__ static void stage(unsigned char* staged, int row, int column, OUTPUT first,
                                                 OUTPUT second)
    {
        int offset = row * SWIZZLE_BYTES + column % BOX_COLUMNS * static_cast<int>(sizeof(OUTPUT));
        *reinterpret_cast<double2*>(staged + column / BOX_COLUMNS * BOX_BYTES + swizzled<SWIZZLE_BYTES>(offset)) =
            make_double2(first, second);
    }

    // Begin to store all of it, from `at` on.
    __device__ __forceinline__ static void store(const TensorMap& map, const unsigned char* staged, BoxAt at)
    {
        fence_shared_writes();
        __syncwarp();
        int lane = threadIdx.x % 32;
        if (lane < BOXES) {
            store_box<true>(map, staged + lane * BOX_BYTES,
                            {at.column + lane * BOX_COLUMNS, at.row, at.batch_1, at.batch_2});
            end_store_group();
        }
    }
};
