// Sums of dot products handed from block to block within one launch, as sealed words.
#pragma once

#include "device/dot/sums.cuh"
#include "device/memory/sealed_words.cuh"

struct SealedSum {
    SealedWord words[RunningSum::WORDS];
};

__device__ __forceinline__ void leave_sum(SealedSum* place, const RunningSum& sum)
{
#pragma unroll
    for (int i = 0; i < RunningSum::WORDS; ++i)
        leave_word(&place->words[i], sum.word(i));
}

// Wait for the sum that another block leaves here, and clear the place.
__device__ __forceinline__ RunningSum take_sum(SealedSum* place)
{
    RunningSum sum;
    bool there;
    do {
        there = true;
#pragma unroll
        for (int i = 0; i < RunningSum::WORDS; ++i) {
            unsigned long long word;
            there = find_word(&place->words[i], word) && there;
            sum.set_word(i, word);
        }
    } while (!there);
#pragma unroll
    for (int i = 0; i < RunningSum::WORDS; ++i)
        clear_word(&place->words[i]);
    return sum;
}
