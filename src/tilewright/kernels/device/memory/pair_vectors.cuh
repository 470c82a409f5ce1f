// Sums of pairs of elements, a vector of 16 bytes at a time. 16-bit elements are added in float32 and rounded once.
//
// Macros: ELEMENT.
#pragma once

#include "device/memory/operand.cuh"
#include "device/memory/vectors.cuh"

constexpr int VECTOR = VECTOR_BYTES / static_cast<int>(sizeof(ELEMENT)); // the elements of 16 bytes

union Vector {
    uint4 bits;
    ELEMENT of[VECTOR];
    __device__ Vector() {}
};

__device__ __forceinline__ void add(ELEMENT& sum, ELEMENT first, ELEMENT second)
{
    round_into(sum, as_sum(first) + as_sum(second));
}

// A vector of sums from two vectors: of the two lines that are added or, where pairs are `beside` each other, the
// first half of the sums from the first vector and the second half from the second.
__device__ __forceinline__ uint4 sums_of(const uint4& first, const uint4& second, bool beside)
{
    Vector x, y, sums;
    x.bits = first;
    y.bits = second;
#pragma unroll
    for (int i = 0; i < VECTOR; ++i) {
        const Vector& from = 2 * i < VECTOR ? x : y;
        ELEMENT left = from.of[2 * i % VECTOR], right = from.of[2 * i % VECTOR + 1];
        add(sums.of[i], beside ? left : x.of[i], beside ? right : y.of[i]);
    }
    return sums.bits;
}
