// How the copy engine lays a box of narrow lines into shared memory, so that eight lines begin in different banks.
//
// Bits 4 to 6 of a place in the box are XORed with the bits above its line's width: the 16-byte pieces of a line change
// places, by another rule in each of eight lines (four, or two, where lines are 64 or 32 bytes). A line of 16 bytes is
// as it was. The box begins on 1024 bytes.
// Source: CUDA driver API, CUtensorMapSwizzle.
#pragma once

// The largest power of two up to `most` that divides `value`.
__host__ __device__ constexpr int power_of_two_in(int value, int most)
{
    int power = 1;
    while (power < most && value % (2 * power) == 0)
        power *= 2;
    return power;
}

template <int LINE_BYTES> __device__ __forceinline__ int swizzled(int offset)
{
    return offset ^ ((offset >> 7 & (LINE_BYTES / 16 - 1)) << 4);
}
