// In which order blocks take the tiles of C, so that tiles computed at the same time share rows of A and columns of B.
//
// Row by row, 132 blocks would read one strip of A and all of B. Here tiles are taken in groups of `group` tile rows,
// down the rows of a group before the next tile column: the blocks at work cover a patch that is nearly square, and
// what they read stays in the L2 cache. Splits of the inner dimension and batches follow one another.
#pragma once

struct Work {
    int tile_m, tile_n; // in tiles (of a cluster, where blocks form clusters)
    int split;          // which part of the inner dimension
    int batch;
};

struct TileOrder {
    int tiles_m, tiles_n, splits, group;

    // A division takes a hundred cycles, and none is needed before the first load of a block in the first layer and
    // group.
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
