// Split-K where operands are read as they lie: which tile of C a block computes, and from which part of k.
#pragma once

#include "device/memory/operand.cuh"
#include "device/memory/rasterization.cuh"

// A product of operands of any strides whose inner dimension may be split: split s multiplies from s * k_per_split on.
// C then are partial sums, split_stride elements from one split to the next.
struct SplitProduct {
    int m, n, k, k_per_split;
    long long splits, batches, batches_1, split_stride;
    Strides a, b, c;
};

// A tile of C and the part of the inner dimension that is multiplied for it. Batches and their splits are layers.
struct Layer {
    int row, column, first, inners; // the first inner index, and how many
    long long split, batch_1, batch_2;

    Layer() = default;

    // `tile` counts layers as its batches.
    __device__ __forceinline__ Layer(const SplitProduct& product, const Tile& tile) : row(tile.row), column(tile.column)
    {
        long long batch = product.splits == 1 ? tile.batch_1 : quotient(tile.batch_1, product.splits);
        split = tile.batch_1 - batch * product.splits;
        batch_2 = quotient(batch, product.batches_1), batch_1 = batch - batch_2 * product.batches_1;
        first = static_cast<int>(split) * product.k_per_split;
        inners = min(product.k - first, product.k_per_split);
    }

    // Keep of its inner indices those from `begin` to before `end`, which are counted from its first one.
    __device__ __forceinline__ void keep(int begin, int end)
    {
        inners = min(inners, end) - begin;
        first += begin;
    }
};
