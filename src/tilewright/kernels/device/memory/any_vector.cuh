// A vector of 16 bytes from any address: cut out of the one or two aligned vectors that hold it.
//
// Rows of an odd size are unaligned, and loads of single elements would use a fraction of the bandwidth. So a thread
// loads aligned vectors and shifts in registers. Its neighbour's second load hits the L1 cache.
#pragma once

#include "device/memory/vectors.cuh"

// Two neighbouring aligned vectors, from which one is cut out.
struct VectorPair {
    uint4 low, high;
};

// Load what holds the elements of a vector from `at` on, of which `inside` exist, from inside [begin, end).
template <typename Element>
__device__ __forceinline__ VectorPair load_pair(const Element* at, int inside, const Element* begin, const Element* end)
{
    using Bits = typename VectorOf<static_cast<int>(sizeof(Element))>::Type;
    constexpr int VECTOR = VECTOR_BYTES / static_cast<int>(sizeof(Element));
    int shift = elements_past_boundary(at);
    const Element* low = at - shift;
    VectorPair pair = {};
    if (low >= begin && low + (shift > 0 ? 2 : 1) * VECTOR <= end) {
        pair.low = __ldg(reinterpret_cast<const uint4*>(low));
        if (shift > 0)
            pair.high = __ldg(reinterpret_cast<const uint4*>(low + VECTOR));
        return pair;
    }
    // At the matrix's own ends one by one: nothing outside it is touched.
    Bits* elements = reinterpret_cast<Bits*>(&pair);
#pragma unroll
    for (int i = 0; i < 2 * VECTOR; ++i)
        if (i >= shift && i - shift < inside && i < shift + VECTOR)
            elements[i] = reinterpret_cast<const Bits*>(low)[i];
    return pair;
}

// The vector at `at`, of the pair that was loaded for it.
template <typename Element> __device__ __forceinline__ uint4 vector_of(const VectorPair& pair, const Element* at)
{
    constexpr int HALVES = static_cast<int>(sizeof(Element)) / 2;
    return cut_out(pair.low, pair.high, elements_past_boundary(at) * HALVES);
}
