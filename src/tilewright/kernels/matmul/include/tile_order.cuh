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

    __device__ __forceinline__ Work at(int index) const
    {
        int tiles = tiles_m * tiles_n;
        int layer = index / tiles;
        int tile = index - layer * tiles;
        int tiles_of_group = group * tiles_n;
        int first = tile / tiles_of_group * group;
        int rows = min(tiles_m - first, group);
        int within = tile % tiles_of_group;
        return {first + within % rows, within / rows, layer % splits, layer / splits};
    }
};
