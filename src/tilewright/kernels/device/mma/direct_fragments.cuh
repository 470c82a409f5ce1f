// Fragments of the tensor cores straight from global memory: no tile in shared memory, and no barrier before the first
// product.
//
// A line is a row of A or a column of B. Of 16 lines by 16 inner indices lane l holds words[half][part], two neighbours
// along k each, of line l / 4 + 8 half; or of line 2 (l / 4) + half, for LOADS_ACROSS. Which 16 indices a step has, and
// in which order, is free as long as A and B agree. With a K_RUN of 2 they lie as the tensor cores number them, from
// 8 part + 2 (l % 4) on; with 4 and 8 a lane's lie side by side, in one step or in two, and are loaded at once.
//
// Macros: ELEMENT; K_RUN. Source: PTX ISA, section on the fragments of mma.m16n8k16.
#pragma once

#include "device/memory/vectors.cuh"

// How the 16-bit halves of words are found.
#define LOADS_SINGLE 0 // each by a load of its own: any strides
#define LOADS_ALONG 1  // a run by one load: neighbours along k, at multiples of K_RUN, as k is
#define LOADS_ACROSS 2 // two lines by one load, for two inner indices: at even addresses, and an even number of lines

constexpr int STEPS_OF_LOAD = K_RUN == 8 ? 2 : 1;
static_assert(K_RUN == 2 || K_RUN == 4 || K_RUN == 8, "a lane has 4 indices of a step");

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
            line[half] =
                reinterpret_cast<const unsigned short*>(from) + at * line_stride + lane % 4 * K_RUN * inner_stride;
        }
    }

    // Which of 16 lines a lane holds as number `half`.
    __device__ __forceinline__ static int at(int half)
    {
        int place = threadIdx.x % 32 / 4;
        return LOADS == LOADS_ACROSS ? 2 * place + half : place + 8 * half;
    }

    // STEPS_OF_LOAD steps from the inner index `inner` on; indices from `end` on are 0.
    __device__ __forceinline__ void load(unsigned (*words)[2][2], int inner, int end) const
    {
        const int first = inner + threadIdx.x % 4 * K_RUN;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            if constexpr (LOADS == LOADS_ALONG && K_RUN == 8) {
                uint4 run = vector<uint4>(line[half] + inner, first < end);
                words[0][half][0] = run.x, words[0][half][1] = run.y;
                words[1][half][0] = run.z, words[1][half][1] = run.w;
            } else if constexpr (LOADS == LOADS_ALONG && K_RUN == 4) {
                uint2 run = vector<uint2>(line[half] + inner, first < end);
                words[0][half][0] = run.x, words[0][half][1] = run.y;
            }
        }
        if constexpr (LOADS != LOADS_ALONG || K_RUN == 2) {
#pragma unroll
            for (int step = 0; step < STEPS_OF_LOAD; ++step)
#pragma unroll
                for (int part = 0; part < 2; ++part) {
                    int past = K_RUN == 2 ? 8 * part : 4 * step + 2 * part; // of a lane's first index
                    load_pair(words[step], part, (inner + past) * inner_stride, first + past, end);
                }
        }
    }

    // A lane's two neighbours of each half, at `offset` elements from its first index, which are number `index` and on.
    __device__ __forceinline__ void load_pair(unsigned (&words)[2][2], int part, int offset, int index, int end) const
    {
        if constexpr (LOADS == LOADS_ACROSS) {
            unsigned lower = vector<unsigned>(line[0] + offset, index < end);
            unsigned upper = vector<unsigned>(line[0] + offset + inner_stride, index + 1 < end);
            words[0][part] = __byte_perm(lower, upper, 0x5410);
            words[1][part] = __byte_perm(lower, upper, 0x7632);
        } else {
#pragma unroll
            for (int half = 0; half < 2; ++half)
                if constexpr (LOADS == LOADS_ALONG)
                    words[half][part] = vector<unsigned>(line[half] + offset, index < end);
                else
                    words[half][part] = element(line[half] + offset, index < end) |
                                        element(line[half] + offset + inner_stride, index + 1 < end) << 16;
        }
    }

    __device__ __forceinline__ static unsigned element(const unsigned short* at, bool is_inside)
    {
        return is_inside ? __ldg(at) : 0;
    }

    template <typename Vector>
    __device__ __forceinline__ static Vector vector(const unsigned short* at, bool is_inside)
    {
        return is_inside ? __ldg(reinterpret_cast<const Vector*>(at)) : Vector{};
    }
};
