// Fragments of the tensor cores straight from global memory: no tile in shared memory, and no barrier before the first
// product.
//
// A line is a row of A or a column of B. Of 16 lines by 16 inner indices lane l holds words[half][part]: two neighbours
// along k from 2 (l % 4) + 8 part on, of line l / 4 + 8 half; or of line 2 (l / 4) + half, for LOADS_ACROSS.
//
// Macros: ELEMENT. Source: PTX ISA, section on the fragments of mma.m16n8k16.
#pragma once

#include "device/memory/vectors.cuh"

// How the two 16-bit halves of a word are found.
#define LOADS_SINGLE 0 // each by a load of its own: any strides
#define LOADS_ALONG 1  // by one load of both: neighbours along k, at even addresses, and k is even
#define LOADS_ACROSS 2 // two lines by one load, for two inner indices; likewise, and the lines are even in number

template <int LOADS> struct DirectLines {
    const unsigned short* line[2]; // a lane's, at its first inner index
    int inner_stride;

    // The 16 lines from `first` on, of which those past the last are the last ones again: no result of theirs is kept.
    __device__ __forceinline__ DirectLines(const ELEMENT* from, long long line_stride, int inner_stride, int first,
                                           int lines)
        : inner_stride(inner_stride)
    {
        int lane = threadIdx.x % 32;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            int at = LOADS == LOADS_ACROSS ? min(first + lane / 4 * 2, lines - 2)
                                           : min(first + lane / 4 + 8 * half, lines - 1);
            line[half] = reinterpret_cast<const unsigned short*>(from) + at * line_stride + lane % 4 * 2 * inner_stride;
        }
    }

    // The line that a lane holds as number `half` of group `group`, counted from the group's first.
    __device__ __forceinline__ static int at(int half)
    {
        int place = threadIdx.x % 32 / 4;
        return LOADS == LOADS_ACROSS ? 2 * place + half : place + 8 * half;
    }

    // The 16 inner indices from `inner` on; from `end` on they are 0.
    __device__ __forceinline__ void load(unsigned (&words)[2][2], int inner, int end) const
    {
        int here = inner + threadIdx.x % 4 * 2;
#pragma unroll
        for (int part = 0; part < 2; ++part) {
            int first = here + 8 * part, offset = (inner + 8 * part) * inner_stride;
            if constexpr (LOADS == LOADS_ACROSS) {
                unsigned lower = word(line[0] + offset, first < end);
                unsigned upper = word(line[0] + offset + inner_stride, first + 1 < end);
                words[0][part] = __byte_perm(lower, upper, 0x5410);
                words[1][part] = __byte_perm(lower, upper, 0x7632);
            } else {
#pragma unroll
                for (int half = 0; half < 2; ++half)
                    if constexpr (LOADS == LOADS_ALONG)
                        words[half][part] = word(line[half] + offset, first < end);
                    else
                        words[half][part] = element(line[half] + offset, first < end) |
                                            element(line[half] + offset + inner_stride, first + 1 < end) << 16;
            }
        }
    }

    __device__ __forceinline__ static unsigned element(const unsigned short* at, bool is_inside)
    {
        return is_inside ? __ldg(at) : 0;
    }

    __device__ __forceinline__ static unsigned word(const unsigned short* at, bool is_inside)
    {
        return is_inside ? __ldg(reinterpret_cast<const unsigned*>(at)) : 0;
    }
};
