// A whole matrix as one contiguous span of memory: into shared memory and out of it in aligned vectors of 16 bytes.
//
// Where rows have odd sizes no row but the first may begin on a boundary, yet the matrix is contiguous as a whole. A
// span lies in shared memory as far past a 16-byte boundary as it does in global memory, so that whole vectors there
// are whole here. What is less than a vector, at its two ends, goes one element at a time: nothing outside is touched.
#pragma once

#include "device/memory/vectors.cuh"

// The places of the two vectors at the ends of a span, of which it fills only a part: number `turn` of them, or -1.
template <int VECTOR> __device__ __forceinline__ int end_place(int turn, int shift, int elements)
{
    int last_vector = (shift + elements) / VECTOR;
    bool is_in_first = shift > 0 && turn < VECTOR;
    bool is_in_last = turn >= VECTOR && turn < 2 * VECTOR && (last_vector > 0 || shift == 0);
    return is_in_first ? turn : is_in_last ? last_vector * VECTOR + turn - VECTOR : -1;
}

// Where in its room in shared memory a span begins, and this thread's element of its ends, if it has one.
struct Arrival {
    int shift;
    int held_at; // its place in the room, or -1
    unsigned short held;
};

// An operand of one product: LINES x INNER elements at most, where INNER_FIRST says which is contiguous. It arrives as
// the span that it is. From there it is read as it lies, or laid out anew as lines that begin on 16 bytes.
template <int LINES, int INNER, int INNER_FIRST, int THREADS> struct Span {
    static constexpr int WIDTH = INNER_FIRST ? INNER : LINES, HEIGHT = INNER_FIRST ? LINES : INNER;
    static constexpr int PITCH = WIDTH + PADDING, ELEMENTS = HEIGHT * PITCH;
    // For wgmma: swizzled lines of 64 elements.
    static constexpr int BLOCKS = (WIDTH + SWIZZLE_ELEMENTS - 1) / SWIZZLE_ELEMENTS;
    static constexpr int BLOCK_ELEMENTS = HEIGHT * SWIZZLE_ELEMENTS;

    int width, height, line_stride, elements;

    __device__ __forceinline__ Span(int lines, int inners, long long line_stride, long long inner_stride)
        : width(INNER_FIRST ? inners : lines), height(INNER_FIRST ? lines : inners),
          line_stride(static_cast<int>(INNER_FIRST ? line_stride : inner_stride))
    {
        elements = (height - 1) * this->line_stride + width;
    }

    // The shared memory that it arrives in, shifted by up to 7 elements, with a vector more behind it: what is laid out
    // is cut out of two.
    __device__ __forceinline__ int room_bytes() const
    {
        return (elements + 2 * (VECTOR_ELEMENTS - 1) + VECTOR_ELEMENTS) / VECTOR_ELEMENTS * VECTOR_BYTES;
    }

    // Begin to load the matrix; thread `first_turn` of the block and the 15 after it take its ends.
    __device__ __forceinline__ Arrival fetch(unsigned char* room, const ELEMENT* from, int first_turn) const
    {
        int shift = elements_past_boundary(from), turn = static_cast<int>(threadIdx.x) - first_turn;
        const ELEMENT* boundary = from - shift;
        int end = (shift + elements) / VECTOR_ELEMENTS, begin = (shift + VECTOR_ELEMENTS - 1) / VECTOR_ELEMENTS;
#pragma unroll 4
        for (int i = begin + threadIdx.x; i < end; i += THREADS)
            copy_vector(room + VECTOR_BYTES * i, boundary + VECTOR_ELEMENTS * i);
        Arrival arrival = {shift, turn < 0 ? -1 : end_place<VECTOR_ELEMENTS>(turn, shift, elements), 0};
        if (arrival.held_at >= shift && arrival.held_at < shift + elements)
            arrival.held = reinterpret_cast<const unsigned short*>(boundary)[arrival.held_at];
        return arrival;
    }

    // The elements of its ends, which came through registers, and 0 beside them.
    __device__ __forceinline__ static void put_ends(const Arrival& arrival, unsigned char* room)
    {
        if (arrival.held_at >= 0)
            reinterpret_cast<unsigned short*>(room)[arrival.held_at] = arrival.held;
    }

    // Where element `first`, a multiple of 8, of a line is among aligned lines: swizzled for wgmma, or with a vector
    // between lines, for ldmatrix.
    template <int FOR_WGMMA> __device__ __forceinline__ static int place_of(int line, int first)
    {
        if (!FOR_WGMMA)
            return line * PITCH + first;
        int vector = first / VECTOR_ELEMENTS % SWIZZLE_ROWS ^ line % SWIZZLE_ROWS;
        return (first / SWIZZLE_ELEMENTS * HEIGHT + line) * SWIZZLE_ELEMENTS + vector * VECTOR_ELEMENTS;
    }

    // From where it arrived to aligned lines: each vector is cut out of two. What lies outside along k is 0.
    template <int FOR_WGMMA>
    __device__ __forceinline__ void lay_out(ELEMENT* tile, const unsigned char* room, int shift) const
    {
        constexpr int VECTORS = WIDTH / VECTOR_ELEMENTS; // of a line
#pragma unroll 4
        for (int index = threadIdx.x; index < HEIGHT * VECTORS; index += THREADS) {
            int line = index / VECTORS, first = index % VECTORS * VECTOR_ELEMENTS;
            int inside = width - first;
            uint4 vector = make_uint4(0, 0, 0, 0);
            if (line < height && inside > 0) {
                int at = shift + line * line_stride + first;
                const uint4* low = reinterpret_cast<const uint4*>(room) + at / VECTOR_ELEMENTS;
                uint4 here = low[0], next = low[at % VECTOR_ELEMENTS + inside > VECTOR_ELEMENTS];
                vector = cut_out(here, next, at % VECTOR_ELEMENTS);
                if (INNER_FIRST && inside < VECTOR_ELEMENTS)
                    vector = first_elements(vector, inside);
            }
            *reinterpret_cast<uint4*>(tile + place_of<FOR_WGMMA>(line, first)) = vector;
        }
    }
};

// Store a span of C that lies in shared memory from `staged` on, LANES threads together.
template <int LANES>
__device__ __forceinline__ void store_span(OUTPUT* to, const unsigned char* staged, int elements, int lane)
{
    constexpr int OUTPUTS = VECTOR_BYTES / static_cast<int>(sizeof(OUTPUT));
    int shift = elements_past_boundary(to);
    OUTPUT* boundary = to - shift;
    int end = (shift + elements) / OUTPUTS;
    for (int vector = (shift + OUTPUTS - 1) / OUTPUTS + lane; vector < end; vector += LANES)
        reinterpret_cast<uint4*>(boundary)[vector] = reinterpret_cast<const uint4*>(staged)[vector];
    for (int turn = lane; turn < 2 * OUTPUTS; turn += LANES) {
        int at = end_place<OUTPUTS>(turn, shift, elements);
        if (at >= shift && at < shift + elements)
            boundary[at] = reinterpret_cast<const OUTPUT*>(staged)[at];
    }
}
