// Words handed from block to block within one launch, through memory that nobody has cleared.
//
// A block that leaves a word for another one must also say that it is there. A flag or a counter would have to be
// cleared before the launch, by another launch. Here each word lies beside itself XOR a key: a reader takes the two if
// they belong together, and looks again if not. Whatever the memory held before passes for a word with a chance of
// 2^-64, and the reader clears the place, so that no word of an earlier launch, or of the same graph's earlier run, is
// ever taken for one of this. No fence is needed: a word is its own message, so nothing else must have arrived with it.
//
// Both are relaxed accesses of the whole GPU's scope: they go to L2, past the L1 cache that an SM has for itself.
// Source: PTX ISA, sections on ld, st and on the memory consistency model.
#pragma once

constexpr unsigned long long KEY = 0x9E3779B97F4A7C15; // 2^64 over the golden ratio: any bits that occur nowhere else

struct alignas(16) SealedWord {
    unsigned long long word, sealed;
};

__device__ __forceinline__ void leave_word(SealedWord* place, unsigned long long word)
{
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(place), "l"(word), "l"(word ^ KEY) : "memory");
}

// Look for the word that another block leaves here: whether it is there.
__device__ __forceinline__ bool find_word(const SealedWord* place, unsigned long long& word)
{
    unsigned long long sealed;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(word), "=l"(sealed) : "l"(place) : "memory");
    return (word ^ sealed) == KEY;
}

__device__ __forceinline__ void clear_word(SealedWord* place)
{
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %1};" ::"l"(place), "l"(0ULL) : "memory");
}
