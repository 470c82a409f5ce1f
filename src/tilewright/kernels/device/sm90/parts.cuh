// Which parts of C's tiles a cluster of wgmma.cu computes, one after another: a tile and some consecutive steps of k.
//
// Clusters take tiles in turns of the grid, with split-K a split of each. With STREAM_K the tiles that whole turns
// leave over are shared, together with those of the last whole turn: every cluster takes as many steps along k of them
// as any other, and begins with the last of its own (memory/stream_k.cuh says why nobody waits for long). A part that
// does not reach its tile's end is handed to the cluster that does (handed_tiles.cuh). A cluster waits for those of
// lower numbers alone: all of a launch find a place on a whole GPU, and where something else holds SMs, lower numbers
// start first.
// With K_IN_CHUNKS the parts are those of split-K, but one cluster computes all of a tile (chunk_sums.cuh).
//
// Macros: STREAM_K, 1 where clusters share tiles, of which none is split; K_IN_CHUNKS, 1 where one has all parts of its
//   tiles.
#pragma once

#include "device/memory/rasterization.cuh"
#include "device/sm90/chunk_sums.cuh"
#include "device/sm90/k_classes.cuh"

#ifndef STREAM_K
#define STREAM_K 0
#endif
static_assert(!(STREAM_K && K_IN_CHUNKS), "tiles are shared by clusters, or have chunks");
static_assert(!(STREAM_K || K_IN_CHUNKS) || !(A_ROW_CLASSES || K_CLASSES || STORE_LATER), "parts have all of a tile");

// Work number `work` in the order of tiles, from step `first` to before step `end`.
struct Part {
    int work, first, end;
};

struct Parts {
    const TileOrder& order;
    int k_blocks, k_blocks_per_split; // steps
    int works, shared;                // of the works, the last ones are shared
    int cluster, clusters;
    int work, left; // the next one that is not shared; steps of the shared ones that are not computed
    int begin;      // the first step of its next chunk

    __device__ __forceinline__ Parts(const TileOrder& order, int k_blocks, int k_blocks_per_split, int works,
                                     int shared, int cluster, int clusters)
        : order(order), k_blocks(k_blocks), k_blocks_per_split(k_blocks_per_split), works(works),
          shared(STREAM_K ? shared : 0), cluster(cluster), clusters(clusters), work(cluster),
          left(STREAM_K ? begin_of(cluster + 1) - begin_of(cluster) : 0), begin(0)
    {
    }

    __device__ __forceinline__ bool any() const { return work < works - shared || left > 0; }

    __device__ __forceinline__ Part now() const
    {
        if (!STREAM_K) {
            int first = K_IN_CHUNKS ? begin : order.at(work).split / CLASSES_OF_K * k_blocks_per_split;
            return {work, first, min(first + k_blocks_per_split, k_blocks)};
        }
        if (work < works - shared)
            return {work, 0, k_blocks};
        int begin = begin_of(cluster), last = begin + left - 1, tile = last / k_blocks;
        return {works - shared + tile, max(begin - tile * k_blocks, 0), last - tile * k_blocks + 1};
    }

    __device__ __forceinline__ void go_on()
    {
        Part done = now();
        begin = K_IN_CHUNKS && done.end < k_blocks ? done.end : 0;
        if (begin > 0)
            return;
        if (!STREAM_K || work < works - shared)
            work += clusters;
        else
            left -= done.end - done.first;
    }

    // How many clusters before this one have steps of a tile, of which this one has the end but not the beginning.
    __device__ __forceinline__ int others(const Part& part) const
    {
        int count = 1;
        while (begin_of(cluster - count) > (part.work - (works - shared)) * k_blocks)
            ++count;
        return count;
    }

  private:
    // The first step of a cluster, over all shared tiles.
    __device__ __forceinline__ int begin_of(int cluster) const
    {
        return static_cast<int>(static_cast<long long>(cluster) * shared * k_blocks / clusters);
    }
};
