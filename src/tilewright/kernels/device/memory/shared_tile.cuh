// Tiles of operands on their way into shared memory for mma.sync, and a tile of a 16-bit result on its way out.
//
// Macros: ELEMENT, OUTPUT.
#pragma once

#include "device/memory/vectors.cuh"

// A tile of LINES x INNER elements of A (a line is a row) or B (a line is a column) in shared memory, where INNER_FIRST
// says which of the two is contiguous. VECTOR is the elements of one load; SHIFTED: loads begin at any address, so
// that each vector is cut out of two aligned ones.
template <int LINES, int INNER, int INNER_FIRST, int VECTOR, int SHIFTED, int THREADS> struct SharedTile {
    static constexpr int WIDTH = INNER_FIRST ? INNER : LINES, HEIGHT = INNER_FIRST ? LINES : INNER;
    static constexpr int PITCH = WIDTH + PADDING, ELEMENTS = HEIGHT * PITCH;
    static constexpr int VECTORS = WIDTH * HEIGHT / VECTOR / THREADS;
    static constexpr int BYTES = VECTOR * 2;
    using Vector = typename VectorOf<BYTES>::Type;
#if __CUDA_ARCH__ >= 800
    static constexpr bool COPIED = BYTES >= 4 && !SHIFTED;
#else
    static constexpr bool COPIED = false;
#endif
    static_assert(WIDTH * HEIGHT % (VECTOR * THREADS) == 0 && WIDTH % VECTOR == 0, "all threads load as many vectors");
    static_assert(!SHIFTED || VECTOR == VECTOR_ELEMENTS, "what is cut out has 16 bytes");

    const ELEMENT *from, *end;
    long long line_stride, inner_stride;
    int first_line, lines, inners;
    // What is on its way through registers: vectors that are not copied by cp.async.
    alignas(BYTES) unsigned short held[COPIED ? 1 : VECTORS][VECTOR];

    __device__ __forceinline__ SharedTile(const ELEMENT* from, long long line_stride, long long inner_stride,
                                          int first_line, int lines, int inners)
        : from(from), end(from + (lines - 1) * line_stride + (inners - 1) * inner_stride + 1),
          line_stride(line_stride), inner_stride(inner_stride), first_line(first_line), lines(lines), inners(inners)
    {
    }

    // Begin to load the tile whose first inner index is `first`.
    __device__ __forceinline__ void fetch(ELEMENT* to, int first)
    {
#pragma unroll
        for (int vector = 0; vector < VECTORS; ++vector) {
            int place = (vector * THREADS + threadIdx.x) * VECTOR, y = place / WIDTH, x = place % WIDTH;
            int line = first_line + (INNER_FIRST ? y : x), inner = first + (INNER_FIRST ? x : y);
            int inside = min(INNER_FIRST ? inners - inner : lines - line, VECTOR);
            if (INNER_FIRST ? line >= lines : inner >= inners)
                inside = 0;
            const ELEMENT* source = from + (inside > 0 ? line * line_stride + inner * inner_stride : 0);
            if constexpr (COPIED)
                copy_async<BYTES>(to + y * PITCH + x, source, max(inside, 0) * 2);
            else if (SHIFTED && inside > 0)
                *reinterpret_cast<uint4*>(held[vector]) = load_shifted(source, inside);
            else
                hold(held[vector], reinterpret_cast<const unsigned short*>(source), inside);
        }
    }

    // Write to shared memory what came through registers.
    __device__ __forceinline__ void put(ELEMENT* to)
    {
        if constexpr (!COPIED) {
#pragma unroll
            for (int vector = 0; vector < VECTORS; ++vector) {
                int place = (vector * THREADS + threadIdx.x) * VECTOR;
                unsigned short* target = reinterpret_cast<unsigned short*>(to) + place / WIDTH * PITCH + place % WIDTH;
                *reinterpret_cast<Vector*>(target) = *reinterpret_cast<Vector*>(held[vector]);
            }
        }
    }

    // The eight elements at any address, of which the first `inside` exist, others 0. Aligned vectors lie within the
    // matrix or its rows' gaps, except at its two ends: there elements are read one by one.
    __device__ __forceinline__ uint4 load_shifted(const ELEMENT* source, int inside) const
    {
        int shift = elements_past_boundary(source);
        const ELEMENT* low = source - shift;
        if (low >= from && low + 2 * VECTOR_ELEMENTS <= end) {
            const uint4* vectors = reinterpret_cast<const uint4*>(low);
            return first_elements(cut_out(__ldg(vectors), __ldg(vectors + 1), shift), inside);
        }
        unsigned word[4] = {};
        const unsigned short* one = reinterpret_cast<const unsigned short*>(source);
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS; ++i)
            if (i < inside)
                word[i / 2] |= static_cast<unsigned>(one[i]) << i % 2 * 16;
        return make_uint4(word[0], word[1], word[2], word[3]);
    }

    __device__ __forceinline__ static void hold(unsigned short (&to)[VECTOR], const unsigned short* source, int inside)
    {
        if (VECTOR > 1 && inside == VECTOR) {
            *reinterpret_cast<Vector*>(to) = *reinterpret_cast<const Vector*>(source);
            return;
        }
#pragma unroll
        for (int i = 0; i < VECTOR; ++i)
            to[i] = i < inside ? source[i] : static_cast<unsigned short>(0);
    }
};

// Store LINES x WIDTH 16-bit results of shared memory, of which `lines` x `width` lie inside C, line by line:
// neighbouring lanes write neighbouring pairs, each as one where a line's address allows, or else from its second
// element on.
template <int LINES, int WIDTH, int THREADS>
__device__ __forceinline__ void store_lines(OUTPUT* to, long long line_stride, const OUTPUT* from, int lines, int width)
{
    static_assert(sizeof(OUTPUT) == 2, "pairs of 16 bits");
    lines = min(lines, LINES), width = min(width, WIDTH);
    int lane = threadIdx.x % 32;
    for (int line = threadIdx.x / 32; line < lines; line += THREADS / 32) {
        unsigned short* target = reinterpret_cast<unsigned short*>(to + line * line_stride);
        const unsigned short* source = reinterpret_cast<const unsigned short*>(from + line * (WIDTH + PADDING));
        int odd = static_cast<int>(reinterpret_cast<unsigned long long>(target) / 2 % 2);
        for (int at = 2 * lane - odd; at < width; at += 2 * 32)
            if (at >= 0 && at + 1 < width)
                *reinterpret_cast<unsigned*>(target + at) = source[at] | static_cast<unsigned>(source[at + 1]) << 16;
            else
                target[max(at, 0)] = source[max(at, 0)];
    }
}
