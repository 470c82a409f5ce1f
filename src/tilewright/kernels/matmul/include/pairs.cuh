// Pairs of neighbours, which is how a thread has its sums: what the epilogue reads for them is read in pairs, too.
#pragma once

#include "include/epilogue.cuh"

// How many pairs of a row are loaded together.
constexpr int PAIRS_AT_ONCE = BLOCK_N % 64 == 0 ? 8 : BLOCK_N % 32 == 0 ? 4 : BLOCK_N % 16 == 0 ? 2 : 1;

template <typename T> struct alignas(2 * sizeof(T)) PairOf {
    T first, second;
};

// In two rows, eight apart.
template <typename T> struct PairsOf {
    PairOf<T> at[2][PAIRS_AT_ONCE];
};
