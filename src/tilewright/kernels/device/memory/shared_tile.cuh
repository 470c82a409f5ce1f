// Tiles of operands on their way into shared memory for mma.sync, and a tile of a 16-bit C on its way out.
//
// Macros: ELEMENT, OUTPUT.
#pragma once

#include "device/memory/vectors.cuh"

// A tile of LINES x INNER elements of A (a line is a row) or B (a line is a column) in shared memory, where INNER_FIRST
// says which of the two is contiguous. PITCH is 8 elements more than a line, so that the eight 16-byte rows that one
// ldmatrix reads lie in different banks. PIECE is how many elements one load brings; SHIFTED: pieces begin anywhere, so
// that each is cut out of two aligned ones.
template <int LINES, int INNER, int INNER_FIRST, int PIECE, int SHIFTED, int THREADS>
struct SharedTile {
    static const int WIDTH = INNER_FIRST ? INNER : LINES, HEIGHT = INNER_FIRST ? LINES : INNER;
    static const int PITCH = WIDTH + 8, ELEMENTS = HEIGHT * PITCH;
    static const int PIECES = WIDTH * HEIGHT / PIECE / THREADS;
    static const int BYTES = PIECE * 2;
#if __CUDA_ARCH__ >= 800
    static const bool COPIED = BYTES >= 4 && !SHIFTED;
#else
    static const bool COPIED = false;
#endif
    static_assert(WIDTH * HEIGHT % (PIECE * THREADS) == 0 && WIDTH % PIECE == 0, "every thread loads as many pieces");
    static_assert(!SHIFTED || PIECE == 8, "pieces that are cut out have 16 bytes");

    const ELEMENT *from, *end;
    long long line_stride, inner_stride;
    int first_line, lines, inners;
    // What is on its way through registers: pieces that are not copied.
    alignas(BYTES) unsigned short held[COPIED ? 1 : PIECES][PIECE];

    __device__ SharedTile(const ELEMENT* from, long long line_stride, long long inner_stride, int first_line,
                          int lines, int inners)
        : from(from), end(from + (lines - 1) * line_stride + (inners - 1) * inner_stride + 1),
          line_stride(line_stride), inner_stride(inner_stride), first_line(first_line), lines(lines), inners(inners)
    {
    }

    // Begin to load the tile whose first inner index is `first`.
    __device__ void fetch(ELEMENT* to, int first)
    {
#pragma unroll
        for (int piece = 0; piece < PIECES; ++piece) {
            int place = (piece * THREADS + threadIdx.x) * PIECE, y = place / WIDTH, x = place % WIDTH;
            int line = first_line + (INNER_FIRST ? y : x), inner = first + (INNER_FIRST ? x : y);
            int inside = min(INNER_FIRST ? inners - inner : lines - line, PIECE);
            if (INNER_FIRST ? line >= lines : inner >= inners)
                inside = 0;
            const ELEMENT* source = from + (inside > 0 ? line * line_stride + inner * inner_stride : 0);
            if constexpr (COPIED)
                copy(to + y * PITCH + x, source, max(inside, 0) * 2);
            else if (SHIFTED && inside > 0)
                *(uint4*)held[piece] = cut_out(source, inside);
            else
                hold(held[piece], (const unsigned short*)source, inside);
        }
    }

    // Write to shared memory what came through registers.
    __device__ void put(ELEMENT* to)
    {
        if constexpr (!COPIED) {
#pragma unroll
            for (int piece = 0; piece < PIECES; ++piece) {
                int place = (piece * THREADS + threadIdx.x) * PIECE;
                unsigned short* target = (unsigned short*)to + place / WIDTH * PITCH + place % WIDTH;
                *(typename Whole<BYTES>::Type*)target = *(typename Whole<BYTES>::Type*)held[piece];
            }
        }
    }

    // Copy without waiting; of the piece's bytes those after the first `bytes` become 0.
    __device__ static void copy(ELEMENT* to, const ELEMENT* source, int bytes)
    {
#if __CUDA_ARCH__ >= 800
        unsigned target = (unsigned)__cvta_generic_to_shared(to);
        if constexpr (BYTES == 16)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes)
                         : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(target), "l"(source), "r"(bytes),
                         "n"(BYTES)
                         : "memory");
#endif
    }

    // The eight elements at any address, of which the first `inside` exist, others 0. Aligned pieces of 16 bytes lie
    // within the matrix or its rows' gaps, except at its two ends: there elements are read one by one.
    __device__ uint4 cut_out(const ELEMENT* source, int inside) const
    {
        int shift = (int)((unsigned long long)source % 16 / 2);
        const ELEMENT* low = source - shift;
        unsigned word[8] = {};
        if (low >= from && low + 16 <= end) {
            uint4 first = __ldg((const uint4*)low), second = __ldg((const uint4*)low + 1);
            word[0] = first.x, word[1] = first.y, word[2] = first.z, word[3] = first.w;
            word[4] = second.x, word[5] = second.y, word[6] = second.z, word[7] = second.w;
            // By halving steps: by four elements, by two, by one.
#pragma unroll
            for (int i = 0; i < 6; ++i)
                word[i] = shift & 4 ? word[i + 2] : word[i];
#pragma unroll
            for (int i = 0; i < 5; ++i)
                word[i] = shift & 2 ? word[i + 1] : word[i];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                unsigned both = __funnelshift_r(word[i], word[i + 1], (shift & 1) * 16);
                word[i] = inside >= 2 * i + 2 ? both : inside == 2 * i + 1 ? both & 0xFFFF : 0;
            }
        } else {
            const unsigned short* one = (const unsigned short*)source;
#pragma unroll
            for (int i = 0; i < 8; ++i)
                if (i < inside)
                    word[i / 2] |= (unsigned)one[i] << i % 2 * 16;
        }
        return make_uint4(word[0], word[1], word[2], word[3]);
    }

    __device__ static void hold(unsigned short (&to)[PIECE], const unsigned short* source, int inside)
    {
        if (PIECE > 1 && inside == PIECE) {
            *(typename Whole<BYTES>::Type*)to = *(const typename Whole<BYTES>::Type*)source;
            return;
        }
#pragma unroll
        for (int i = 0; i < PIECE; ++i)
            to[i] = i < inside ? source[i] : (unsigned short)0;
    }
};

// Lines of C in shared memory are this much longer than the tile, so that what a warp writes lies in different banks.
const int C_PADDING = 8;

// Store LINES x WIDTH results of shared memory, of which `lines` x `width` lie inside C, line by line: neighbouring
// lanes write neighbouring pairs, each in one piece where a line's address allows, or else from its second element on.
template <int LINES, int WIDTH, int THREADS>
__device__ inline void store_lines(OUTPUT* to, long long line_stride, const OUTPUT* from, int lines, int width)
{
    static_assert(sizeof(OUTPUT) == 2, "pairs of 16 bits");
    lines = min(lines, LINES), width = min(width, WIDTH);
    int lane = threadIdx.x % 32;
    for (int line = threadIdx.x / 32; line < lines; line += THREADS / 32) {
        unsigned short* target = (unsigned short*)(to + line * line_stride);
        const unsigned short* source = (const unsigned short*)(from + line * (WIDTH + C_PADDING));
        int odd = (int)((unsigned long long)target / 2 % 2);
        for (int at = 2 * lane - odd; at < width; at += 64)
            if (at >= 0 && at + 1 < width)
                *(unsigned*)(target + at) = source[at] | (unsigned)source[at + 1] << 16;
            else
                target[max(at, 0)] = source[max(at, 0)];
    }
}
