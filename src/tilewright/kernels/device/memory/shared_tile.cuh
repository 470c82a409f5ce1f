// Tiles of operands on their way into shared memory for mma.sync, and a tile of a 16-bit result on its way out.
//
// Macros: ELEMENT, OUTPUT.
#pragma once

#include "device/memory/any_vector.cuh"

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

    // A thread's vectors lie below one another, ROWS apart: x is along what is contiguous, y across it.
    static constexpr int ROWS = THREADS * VECTOR / WIDTH;
    static_assert(THREADS * VECTOR % WIDTH == 0, "a thread's vectors have the same x");
    __device__ __forceinline__ static int x() { return threadIdx.x * VECTOR % WIDTH; }
    __device__ __forceinline__ static int y() { return threadIdx.x * VECTOR / WIDTH; }

    const ELEMENT *from, *end, *at; // the matrix, and the thread's first vector in the tile at inner index 0
    long long inner_stride, step;   // step: from a thread's vector to its next
    long long first_line_at, last_line_at; // of the tile's lines that exist, from the matrix's first element
    int first_line, lines, inners, first_inner; // the last: of the tile that is on its way
    // What is on its way through registers: vectors that are not copied by cp.async.
    alignas(BYTES) unsigned short held[COPIED || SHIFTED ? 1 : VECTORS][VECTOR];
    VectorPair pairs[SHIFTED ? VECTORS : 1];

    __device__ __forceinline__ SharedTile(const ELEMENT* from, long long line_stride, long long inner_stride,
                                          int first_line, int lines, int inners)
        : from(from), end(from + (lines - 1) * line_stride + (inners - 1) * inner_stride + 1),
          at(from + (first_line + (INNER_FIRST ? y() : x())) * line_stride + (INNER_FIRST ? x() : y()) * inner_stride),
          inner_stride(inner_stride), step(ROWS * (INNER_FIRST ? line_stride : inner_stride)),
          first_line_at(first_line * line_stride),
          last_line_at((min(first_line + LINES, lines) - 1) * line_stride), first_line(first_line), lines(lines),
          inners(inners)
    {
    }

    // How many elements of a thread's vector exist, where its tile may reach past an edge; 0 or less where none do.
    __device__ __forceinline__ int inside_of(int vector, int first) const
    {
        int line = first_line + (INNER_FIRST ? y() + vector * ROWS : x());
        int inner = first + (INNER_FIRST ? x() : y() + vector * ROWS);
        if (INNER_FIRST ? line >= lines : inner >= inners)
            return 0;
        return min(INNER_FIRST ? inners - inner : lines - line, VECTOR);
    }

    __device__ __forceinline__ bool is_whole(int first) const
    {
        return first + INNER <= inners && first_line + LINES <= lines;
    }

    // Begin to load the tile whose first inner index is `first`. Whether it reaches past an edge is asked once, for all
    // of it: then loads wait for no branch, and all are on their way together.
    __device__ __forceinline__ void fetch(ELEMENT* to, int first)
    {
        first_inner = first;
        if (SHIFTED ? is_surrounded(first) : is_whole(first))
            fetch_as<1>(to, first);
        else
            fetch_as<0>(to, first);
    }

    // Write to shared memory what came through registers.
    __device__ __forceinline__ void put(ELEMENT* to)
    {
        if constexpr (!COPIED) {
            unsigned short* target = reinterpret_cast<unsigned short*>(to) + y() * PITCH + x();
#pragma unroll
            for (int vector = 0; vector < VECTORS; ++vector)
                if constexpr (SHIFTED)
                    *reinterpret_cast<uint4*>(target + vector * ROWS * PITCH) = shifted(vector);
                else
                    *reinterpret_cast<Vector*>(target + vector * ROWS * PITCH) =
                        *reinterpret_cast<Vector*>(held[vector]);
        }
    }

    // Whether the aligned vectors that hold the tile's lie between the matrix's first element and its last, so that
    // all of them can be read whole: within its lines and the gaps between them.
    __device__ __forceinline__ bool is_surrounded(int first) const
    {
        if (first + INNER > inners || (!INNER_FIRST && first_line + LINES > lines))
            return false;
        long long inner = first * inner_stride;
        return first_line_at + inner >= VECTOR_ELEMENTS &&
               from + last_line_at + inner + (INNER - 1) * inner_stride + VECTOR_ELEMENTS < end;
    }

    template <int WHOLE> __device__ __forceinline__ void fetch_as(ELEMENT* to, int first)
    {
        const ELEMENT* source = at + first * inner_stride;
        ELEMENT* target = to + y() * PITCH + x();
#pragma unroll
        for (int vector = 0; vector < VECTORS; ++vector, source += step) {
            int inside = WHOLE ? VECTOR : inside_of(vector, first);
            if constexpr (COPIED) {
                copy_async<BYTES>(target + vector * ROWS * PITCH, inside > 0 ? source : from, max(inside, 0) * 2);
            } else if constexpr (!SHIFTED) {
                hold(held[vector], reinterpret_cast<const unsigned short*>(inside > 0 ? source : from), inside);
            } else if constexpr (WHOLE) {
                int shift = elements_past_boundary(source);
                const uint4* low = reinterpret_cast<const uint4*>(source - shift);
                pairs[vector] = {};
                if (!INNER_FIRST || first_line + y() + vector * ROWS < lines) {
                    pairs[vector].low = __ldg(low);
                    if (shift > 0)
                        pairs[vector].high = __ldg(low + 1);
                }
            } else {
                pairs[vector] = {};
                if (inside > 0)
                    pairs[vector] = load_pair(source, inside, from, end);
            }
        }
    }

    // A vector cut out of its pair. Elements past the last inner index are 0; those past the last line reach no result.
    __device__ __forceinline__ uint4 shifted(int vector) const
    {
        const ELEMENT* source = at + first_inner * inner_stride + vector * step;
        uint4 found = cut_out(pairs[vector].low, pairs[vector].high, elements_past_boundary(source));
        return INNER_FIRST && first_inner + INNER > inners ? first_elements(found, inners - first_inner - x()) : found;
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

// What a line of results takes in shared memory: it lies there as far past a 16-byte boundary as in C.
template <int WIDTH> constexpr int STAGED_PITCH = WIDTH + VECTOR_ELEMENTS;

// Store LINES x WIDTH 16-bit results of shared memory, of which `lines` x `width` lie inside C: 16 bytes at once,
// except at the ends of a line.
template <int LINES, int WIDTH, int THREADS>
__device__ __forceinline__ void store_lines(OUTPUT* to, long long line_stride, const OUTPUT* from, int lines, int width)
{
    static_assert(sizeof(OUTPUT) == 2, "vectors of 16 bits");
    constexpr int VECTORS = WIDTH / VECTOR_ELEMENTS + 1;
    lines = min(lines, LINES), width = min(width, WIDTH);
#pragma unroll 2
    for (int index = threadIdx.x; index < lines * VECTORS; index += THREADS) {
        int line = index / VECTORS, vector = index % VECTORS;
        OUTPUT* target = to + line * line_stride;
        int first = vector * VECTOR_ELEMENTS - elements_past_boundary(target);
        const OUTPUT* source = from + line * STAGED_PITCH<WIDTH> + vector * VECTOR_ELEMENTS;
        if (first >= 0 && first + VECTOR_ELEMENTS <= width) {
            *reinterpret_cast<uint4*>(target + first) = *reinterpret_cast<const uint4*>(source);
            continue;
        }
        // Not unrolled: with a cold cache, instructions come from memory, too.
#pragma unroll 1
        for (int i = max(-first, 0); i < min(width - first, VECTOR_ELEMENTS); ++i)
            target[first + i] = source[i];
    }
}
