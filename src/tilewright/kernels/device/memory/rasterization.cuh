// In which order blocks take the tiles of C, so that tiles computed at the same time share rows of A and columns of B.
//
// Row by row, 132 blocks would read one strip of A and all of B. Here tiles are taken in groups of tile rows, down the
// rows of a group before the next tile column: the blocks at work cover a patch that is nearly square, and what they
// read stays in the L2 cache. `tile_at` counts in 64 bits for any number of tiles, `TileOrder` in 32 for wgmma.cu.
#pragma once

// A tile of C: its first row and column, and the two batch indices of its product. Batch dimension 1 is the inner one.
struct Tile {
    int row, column;
    long long batch_1, batch_2;
};

// How many tiles all products have together.
template <int ROWS, int COLUMNS>
__device__ __forceinline__ long long tiles_of(int m, int n, long long batches)
{
    return static_cast<long long>((m + ROWS - 1) / ROWS) * ((n + COLUMNS - 1) / COLUMNS) * batches;
}

// Tiles in groups of 8 tile rows, a product after another.
template <int ROWS, int COLUMNS>
__device__ __forceinline__ Tile tile_at(long long index, int m, int n, long long batches_1)
{
    constexpr int GROUP = 8;
    long long down = (m + ROWS - 1) / ROWS, across = (n + COLUMNS - 1) / COLUMNS;
    long long product = index / (down * across), place = index % (down * across);
    long long group = place / (GROUP * across), inside = place % (GROUP * across);
    long long height = min(static_cast<long long>(GROUP), down - group * GROUP);
    return Tile{static_cast<int>((group * GROUP + inside % height) * ROWS),
                static_cast<int>(inside / height * COLUMNS), product % batches_1, product / batches_1};
}

// Splits of the inner dimension and batches follow one another.
struct Work {
    int tile_m, tile_n; // in tiles (of a cluster, where blocks form clusters)
    int split;          // which part of the inner dimension
    int batch;
};

struct TileOrder {
    int tiles_m, tiles_n, splits, group;

    // A division takes a hundred cycles. For a block's first tile, mostly in the first layer and group, none is made.
    __device__ __forceinline__ Work at(int index) const
    {
        int layer = quotient(index, tiles_m * tiles_n);
        int tile = index - layer * tiles_m * tiles_n;
        int tiles_of_group = group * tiles_n;
        int first_group = quotient(tile, tiles_of_group);
        int within = tile - first_group * tiles_of_group;
        int rows = min(tiles_m - first_group * group, group);
        int column = quotient(within, rows);
        int batch = quotient(layer, splits);
        return {first_group * group + within - column * rows, column, layer - batch * splits, batch};
    }

    __device__ __forceinline__ static int quotient(int number, int divisor)
    {
        return number < divisor ? 0 : number / divisor;
    }
};
