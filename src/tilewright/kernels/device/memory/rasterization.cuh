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

// A division takes a hundred cycles. For a block's first tile, mostly in the first product and group, none is made.
template <typename Integer> __device__ __forceinline__ Integer quotient(Integer number, Integer divisor)
{
    return number < divisor ? 0 : number / divisor;
}

// Tiles in groups of 8 tile rows, a product after another.
template <int ROWS, int COLUMNS>
__device__ __forceinline__ Tile tile_at(long long index, int m, int n, long long batches_1)
{
    constexpr int GROUP = 8;
    long long down = (m + ROWS - 1) / ROWS, across = (n + COLUMNS - 1) / COLUMNS;
    long long product = quotient(index, down * across), place = index - product * down * across;
    long long group = quotient(place, GROUP * across), inside = place - group * GROUP * across;
    long long height = min(static_cast<long long>(GROUP), down - group * GROUP);
    long long column = height == GROUP ? inside / GROUP : quotient(inside, height);
    long long batch_2 = quotient(product, batches_1);
    return Tile{static_cast<int>((group * GROUP + inside - column * height) * ROWS),
                static_cast<int>(column * COLUMNS), product - batch_2 * batches_1, batch_2};
}

// Splits of the inner dimension and batches follow one another.
struct Work {
    int tile_m, tile_n; // in tiles (of a cluster, where blocks form clusters)
    int split;          // which part of the inner dimension
    int batch;
};

struct TileOrder {
    int tiles_m, tiles_n, splits, group;

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
};
