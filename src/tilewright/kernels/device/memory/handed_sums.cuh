// A thread's sums, handed to the same thread of another block within one launch, as sealed words.
//
// Sums: a type with COUNT and at(i), of sums in registers. Word i of a thread lies THREADS words behind its word i - 1,
// so that the threads of a warp write and read neighbours.
#pragma once

#include "device/memory/sealed_words.cuh"

template <typename Sum> union WordOfSums {
    static constexpr int SUMS = 8 / static_cast<int>(sizeof(Sum));
    unsigned long long bits;
    Sum sums[SUMS];
    __device__ WordOfSums() : bits(0) {}
};

// Sums are handed over in so many words of each thread.
template <typename Sum, typename Sums> constexpr int WORDS_OF = Sums::COUNT / WordOfSums<Sum>::SUMS;

template <typename Sum, int THREADS, typename Sums>
__device__ __forceinline__ void leave_sums(SealedWord* places, Sums& sums)
{
    using Word = WordOfSums<Sum>;
#pragma unroll
    for (int i = 0; i < WORDS_OF<Sum, Sums>; ++i) {
        Word word;
#pragma unroll
        for (int j = 0; j < Word::SUMS; ++j)
            word.sums[j] = sums.at(i * Word::SUMS + j);
        leave_word(places + i * THREADS, word.bits);
    }
}

// Wait for the sums of `others` blocks, whose places lie `to_next` words apart, and add them, one block after another.
// WORDS of a block are asked for together, and where those are all and few, those of several blocks.
template <typename Sum, int THREADS, int WORDS, typename Sums>
__device__ __forceinline__ void take_sums(SealedWord* places, int others, long long to_next, Sums& sums)
{
    using Word = WordOfSums<Sum>;
    constexpr int ALL = WORDS_OF<Sum, Sums>, BLOCKS = WORDS == ALL && ALL < 16 ? 16 / ALL : 1;
    static_assert(ALL % WORDS == 0, "a block's words are taken in equal parts");
    for (int first = 0; first < others; first += BLOCKS)
#pragma unroll
        for (int part = 0; part < ALL; part += WORDS) {
            Word words[BLOCKS][WORDS];
            SealedWord* here = places + first * to_next + part * THREADS;
            bool there;
            do {
                there = true;
#pragma unroll
                for (int block = 0; block < BLOCKS; ++block)
#pragma unroll
                    for (int i = 0; i < WORDS; ++i)
                        if (first + block < others)
                            there = find_word(here + block * to_next + i * THREADS, words[block][i].bits) && there;
            } while (!there);
#pragma unroll
            for (int block = 0; block < BLOCKS; ++block)
#pragma unroll
                for (int i = 0; i < WORDS; ++i)
                    if (first + block < others) {
                        clear_word(here + block * to_next + i * THREADS);
#pragma unroll
                        for (int j = 0; j < Word::SUMS; ++j)
                            sums.at((part + i) * Word::SUMS + j) += words[block][i].sums[j];
                    }
        }
}
