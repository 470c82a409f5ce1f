// The bias in registers: read before a tile is multiplied, and handed round in each warp when its sums are done.
//
// Bias has an element for each column of C, and a thread has sums in BLOCK_N / 4 columns: too many for each to hold. A
// warp together needs BLOCK_N, two neighbours in each lane for every 64 columns, and lanes ask each other (shuffles).
// BIAS_ALONG_ROWS: the transposed product is computed, and bias has an element for each row: two in a thread for 64
// rows. Elements are read one by one: a bias may begin at any of them, and the loads of a warp are one line of memory.
#pragma once

#include "include/pairs.cuh"
#include "include/tile.cuh"

#if EPILOGUE
// What a thread holds of the bias for its consumer's sums: they begin at (row, column) inside m x n, rows `step` apart.
struct BiasInWarp {
#if defined(BIAS) && BIAS_ALONG_ROWS
    BiasElement of_row[M_TILES][2] = {};

    __device__ __forceinline__ BiasInWarp(const Epilogue& epilogue, int row, int step, int column, int m, int n,
                                          int thread)
    {
#pragma unroll
        for (int i = 0; i < 2 * M_TILES; ++i) {
            int at = row + step * (i / 2 * 64 + thread / 32 * 16 + thread % 32 / 4 + i % 2 * 8);
            if (at < m)
                of_row[i / 2][i % 2] = epilogue.bias[at];
        }
    }

    // The pairs from number `first` on, in the `m_tile`th 64 rows.
    __device__ __forceinline__ void load(PairsOf<BiasElement>& biased, int m_tile, int first) const
    {
#pragma unroll
        for (int i = 0; i < 2 * PAIRS_AT_ONCE; ++i)
            biased.at[i % 2][i / 2] = {of_row[m_tile][i % 2], of_row[m_tile][i % 2]};
    }
#elif defined(BIAS)
    PairOf<BiasElement> held[(BLOCK_N + 63) / 64] = {};

    __device__ __forceinline__ BiasInWarp(const Epilogue& epilogue, int row, int step, int column, int m, int n,
                                          int thread)
    {
#pragma unroll
        for (int i = 0; i < BLOCK_N; i += 64) {
            int at = i + thread % 32 * 2, inside = min(BLOCK_N, n - column);
            if (at < inside)
                held[i / 64].first = epilogue.bias[column + at];
            if (at + 1 < inside)
                held[i / 64].second = epilogue.bias[column + at + 1];
        }
    }

    // The pairs from number `first` on, which are those of every row.
    __device__ __forceinline__ void load(PairsOf<BiasElement>& biased, int m_tile, int first) const
    {
#pragma unroll
        for (int pair = 0; pair < PAIRS_AT_ONCE; ++pair) {
            int number = first + pair, lane = number % 8 * 4 + threadIdx.x % 4;
            PairOf<BiasElement> from = held[number / 8];
            unsigned words[sizeof(from) / 4];
#pragma unroll
            for (int i = 0; i < sizeof(from) / 4; ++i)
                words[i] = __shfl_sync(0xffffffff, reinterpret_cast<const unsigned*>(&from)[i], lane);
            biased.at[0][pair] = biased.at[1][pair] = *reinterpret_cast<PairOf<BiasElement>*>(words);
        }
    }
#else
    __device__ __forceinline__ BiasInWarp(const Epilogue&, int, int, int, int, int, int) {}
    __device__ __forceinline__ void load(PairsOf<BiasElement>&, int, int) const {}
#endif
};
#endif
