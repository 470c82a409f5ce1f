// A whole matrix as one stretch of memory: into shared memory and out of it in aligned pieces of 16 bytes.
//
// Where rows have odd sizes no row but the first may begin on a boundary, yet the matrix is contiguous as a whole. A
// stretch lies in shared memory as far past a 16-byte boundary as it does in global memory, so that whole pieces there
// are whole here. What is less than a piece, at its two ends, goes one element at a time: nothing outside is touched.
#pragma once

#include "device/memory/vectors.cuh"

// The places of the two pieces at the ends of a stretch, of which it fills only a part: number `turn` of them, or -1.
template <int PIECE> __device__ inline int end_place(int turn, int shift, int elements)
{
    int last_piece = (shift + elements) / PIECE;
    bool is_in_first = shift > 0 && turn < PIECE;
    bool is_in_last = turn >= PIECE && turn < 2 * PIECE && (last_piece > 0 || shift == 0);
    return is_in_first ? turn : is_in_last ? last_piece * PIECE + turn - PIECE : -1;
}

// Where in its room in shared memory a stretch begins, and this thread's element of its ends, if it has one.
struct Arrival {
    int shift;
    int held_at; // its place in the room, or -1
    unsigned short held;
};

// An operand of one product: LINES x INNER elements at most, where INNER_FIRST says which is contiguous. It arrives as
// the stretch that it is. From there it is read as it lies, or laid out anew as lines that begin on 16 bytes.
template <int LINES, int INNER, int INNER_FIRST, int THREADS> struct Stretch {
    static const int WIDTH = INNER_FIRST ? INNER : LINES, HEIGHT = INNER_FIRST ? LINES : INNER;
    static const int PITCH = WIDTH + 8, ELEMENTS = HEIGHT * PITCH;
    // Aligned lines of 64 elements, for wgmma.
    static const int BLOCKS = (WIDTH + 63) / 64, BLOCK_ELEMENTS = HEIGHT * 64;

    int width, height, line_stride, elements;

    __device__ Stretch(int lines, int inners, long long line_stride, long long inner_stride)
        : width(INNER_FIRST ? inners : lines), height(INNER_FIRST ? lines : inners),
          line_stride((int)(INNER_FIRST ? line_stride : inner_stride))
    {
        elements = (height - 1) * this->line_stride + width;
    }

    // The shared memory that it arrives in, which a piece more belongs to.
    __device__ int room_bytes() const { return (elements + 7 + 15) / 8 * 16; }

    // Begin to load the matrix; thread `first_turn` of the block and the 15 after it take its ends.
    __device__ Arrival fetch(unsigned char* room, const ELEMENT* from, int first_turn) const
    {
        int shift = elements_past_boundary(from), turn = (int)threadIdx.x - first_turn;
        const ELEMENT* boundary = from - shift;
        int end = (shift + elements) / 8;
#pragma unroll 4
        for (int piece = (shift + 7) / 8 + threadIdx.x; piece < end; piece += THREADS)
            copy_piece(room + 16 * piece, boundary + 8 * piece);
        Arrival arrival = {shift, turn < 0 ? -1 : end_place<8>(turn, shift, elements), 0};
        if (arrival.held_at >= shift && arrival.held_at < shift + elements)
            arrival.held = ((const unsigned short*)boundary)[arrival.held_at];
        return arrival;
    }

    // The elements of its ends, which came through registers, and 0 beside them.
    __device__ static void put_ends(const Arrival& arrival, unsigned char* room)
    {
        if (arrival.held_at >= 0)
            ((unsigned short*)room)[arrival.held_at] = arrival.held;
    }

    // Where element `first`, a multiple of 8, of a line is among aligned lines: as wgmma_rows.cuh has them, or with a
    // piece between lines, for ldmatrix.
    template <int FOR_WGMMA> __device__ static int place_of(int line, int first)
    {
        return FOR_WGMMA ? (first / 64 * HEIGHT + line) * 64 + (first / 8 % 8 ^ line % 8) * 8 : line * PITCH + first;
    }

    // From where it arrived to aligned lines: each piece is cut out of two. What lies outside along k is 0.
    template <int FOR_WGMMA> __device__ void lay_out(ELEMENT* tile, const unsigned char* room, int shift) const
    {
        const int pieces_of_line = WIDTH / 8;
#pragma unroll 4
        for (int index = threadIdx.x; index < HEIGHT * pieces_of_line; index += THREADS) {
            int line = index / pieces_of_line, first = index % pieces_of_line * 8;
            int inside = width - first;
            uint4 piece = make_uint4(0, 0, 0, 0);
            if (line < height && inside > 0) {
                int at = shift + line * line_stride + first;
                const uint4* low = (const uint4*)room + at / 8;
                uint4 here = low[0], next = low[at % 8 + inside > 8];
                piece = cut_out(here, next, at % 8);
                if (INNER_FIRST && inside < 8)
                    piece = kept(piece, inside);
            }
            *(uint4*)(tile + place_of<FOR_WGMMA>(line, first)) = piece;
        }
    }

    __device__ static void copy_piece(unsigned char* to, const ELEMENT* from)
    {
#if __CUDA_ARCH__ >= 800
        unsigned target = (unsigned)__cvta_generic_to_shared(to);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(from) : "memory");
#else
        *(uint4*)to = *(const uint4*)from;
#endif
    }

    // The first `inside` elements of a piece, then 0.
    __device__ static uint4 kept(uint4 piece, int inside)
    {
        unsigned word[4] = {piece.x, piece.y, piece.z, piece.w};
#pragma unroll
        for (int i = 0; i < 4; ++i)
            word[i] = inside >= 2 * i + 2 ? word[i] : inside == 2 * i + 1 ? word[i] & 0xFFFF : 0;
        return make_uint4(word[0], word[1], word[2], word[3]);
    }
};

// Store a stretch of C that lies in shared memory from `staged` on, LANES threads together.
template <int LANES>
__device__ inline void store_stretch(OUTPUT* to, const unsigned char* staged, int elements, int lane)
{
    const int piece_elements = 16 / (int)sizeof(OUTPUT);
    int shift = elements_past_boundary(to);
    OUTPUT* boundary = to - shift;
    int end = (shift + elements) / piece_elements;
    for (int piece = (shift + piece_elements - 1) / piece_elements + lane; piece < end; piece += LANES)
        ((uint4*)boundary)[piece] = ((const uint4*)staged)[piece];
    for (int turn = lane; turn < 2 * piece_elements; turn += LANES) {
        int at = end_place<piece_elements>(turn, shift, elements);
        if (at >= shift && at < shift + elements)
            boundary[at] = ((const OUTPUT*)staged)[at];
    }
}
