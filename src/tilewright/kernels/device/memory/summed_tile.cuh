// Tiles of pair sums in shared memory: two vectors arrive, are added, and one is stored.
//
// What arrives lies in shared memory too, where each thread has places of its own, so that many stages are on their way
// without a register: a thread adds what it copied itself, and no other thread waits for it. Vectors from any address
// arrive as the two aligned ones that hold them, except at the matrix's own ends.
//
// A tile has LINES x INNER sums. A line is a row of A's sums, which are of two rows of A, or a column of B's, of two
// columns of B. Where lines go along k in memory, a vector of sums is made of two vectors, one below the other; where
// neighbours in memory are neighbouring lines, of two vectors beside each other.
// Macros: ELEMENT.
#pragma once

#include "device/memory/any_vector.cuh"
#include "device/memory/copied_tile.cuh"
#include "device/memory/pair_vectors.cuh"

// How an operand is loaded: where no dimension is contiguous, in aligned vectors, in vectors from any address.
constexpr int BY_ELEMENTS = 0, ALIGNED = 1, SHIFTED = 2;

// Place says where sums lie in shared memory, and whether a vector of them stays one there (WHOLE). RUN: the vectors
// along memory that the lanes of a warp take before they go to the next line.
template <typename Place, int LINES, int INNER, int K_MAJOR, int LOADS, int RUN, int THREADS> struct SummedTile {
    static constexpr int PER_THREAD = LINES * INNER / VECTOR / THREADS;
    static constexpr bool BESIDE = !K_MAJOR && LOADS != BY_ELEMENTS;
    // Of a thread for each vector of sums, and of all threads for a tile.
    static constexpr int PLACES = LOADS == BY_ELEMENTS ? 0 : LOADS == SHIFTED ? 4 : 2;
    static constexpr int ARRIVALS = PER_THREAD * PLACES * THREADS;
    static_assert(PER_THREAD * THREADS * VECTOR == LINES * INNER, "all threads load as many vectors");
    static_assert(K_MAJOR ? INNER % (RUN * VECTOR) == 0 : RUN * VECTOR == LINES, "runs make up the tile");

    const ELEMENT *from, *begin, *end; // the matrix, and its own memory, outside of which nothing is read
    long long line_stride, inner_stride; // of elements, not of sums
    int first_line, lines, inners; // of sums: where the tile begins, and where the matrix or the split ends

    __device__ __forceinline__ SummedTile(const ELEMENT* from, long long line_stride, long long inner_stride,
                                          int first_line, int lines, int inners, int k)
        : from(from), line_stride(BESIDE ? 1 : line_stride),
          inner_stride(K_MAJOR && LOADS != BY_ELEMENTS ? 1 : inner_stride), first_line(first_line), lines(lines),
          inners(inners)
    {
        long long last_line = (2ll * lines - 1) * this->line_stride, last_inner = (k - 1ll) * this->inner_stride;
        begin = from + min(0ll, last_line) + min(0ll, last_inner);
        end = from + max(0ll, last_line) + max(0ll, last_inner) + 1;
    }

    // The line and the inner index of a thread's vector number i, in a tile.
    __device__ __forceinline__ static int line_of(int i)
    {
        int number = i * THREADS + threadIdx.x;
        return K_MAJOR ? number / RUN % LINES : number % RUN * VECTOR;
    }
    __device__ __forceinline__ static int inner_of(int i)
    {
        int number = i * THREADS + threadIdx.x;
        return K_MAJOR ? (number / RUN / LINES * RUN + number % RUN) * VECTOR : number / RUN;
    }

    // How many sums of the vector there are in the matrix; 0 or less if none.
    __device__ __forceinline__ int inside_of(int i, int first) const
    {
        int line = first_line + line_of(i), inner = first + inner_of(i);
        if (K_MAJOR)
            return line < lines ? inners - inner : 0;
        return inner < inners ? lines - line : 0;
    }

    // The first of its pair.
    __device__ __forceinline__ const ELEMENT* source_of(int i, int first) const
    {
        return from + 2 * (first_line + line_of(i)) * line_stride + (first + inner_of(i)) * inner_stride;
    }

    // Where a vector or the first of two aligned ones arrives, of the pair's first half or its second.
    __device__ __forceinline__ static uint4* place_of(uint4* arrivals, int i, int half)
    {
        return arrivals + (i * PLACES + half * PLACES / 2) * THREADS + threadIdx.x;
    }

    // Whether all of the aligned vectors that hold a vector are the matrix's own.
    __device__ __forceinline__ bool holds(const ELEMENT* at) const
    {
        int shift = elements_past_boundary(at);
        return at - shift >= begin && at - shift + (shift > 0 ? 2 : 1) * VECTOR <= end;
    }

    // Begin to load the tile whose first inner index is `first`.
    __device__ __forceinline__ void fetch(uint4* arrivals, int first) const
    {
        if constexpr (LOADS != BY_ELEMENTS)
#pragma unroll
            for (int i = 0; i < PER_THREAD; ++i) {
                bool inside = inside_of(i, first) > 0;
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const ELEMENT* at = source_of(i, first) + half * (BESIDE ? VECTOR : line_stride);
                    uint4* to = place_of(arrivals, i, half);
                    if constexpr (LOADS == ALIGNED)
                        copy_or_zero<1, 0>(to, reinterpret_cast<const uint4*>(at), inside);
                    else if (inside && holds(at)) {
                        int shift = elements_past_boundary(at);
                        copy_vector(to, at - shift);
                        if (shift > 0)
                            copy_vector(to + THREADS, at - shift + VECTOR);
                    }
                }
            }
    }

    // The vector at `at`, of which `inside` elements are inside, as it has arrived.
    __device__ __forceinline__ uint4 arrived(const uint4* from, const ELEMENT* at, int inside) const
    {
        if constexpr (LOADS == ALIGNED)
            return *from;
        if (!holds(at))
            return vector_of(load_pair(at, inside, begin, end), at);
        return vector_of(VectorPair{from[0], elements_past_boundary(at) > 0 ? from[THREADS] : uint4{}}, at);
    }

    // The sums of vector number i.
    __device__ __forceinline__ uint4 sums_at(uint4* arrivals, int i, int first) const
    {
        int inside = inside_of(i, first);
        const ELEMENT* at = source_of(i, first);
        if constexpr (LOADS == BY_ELEMENTS) {
            Vector pair[2];
            pair[0].bits = pair[1].bits = make_uint4(0, 0, 0, 0);
#pragma unroll
            for (int j = 0; j < VECTOR; ++j)
                if (j < inside) {
                    const ELEMENT* one = at + j * (K_MAJOR ? inner_stride : 2 * line_stride);
                    pair[0].of[j] = one[0];
                    pair[1].of[j] = one[line_stride];
                }
            return sums_of(pair[0].bits, pair[1].bits, false);
        } else {
            if (LOADS == SHIFTED && inside <= 0)
                return make_uint4(0, 0, 0, 0);
            Vector sums;
            sums.bits = sums_of(arrived(place_of(arrivals, i, 0), at, BESIDE ? 2 * inside : inside),
                                arrived(place_of(arrivals, i, 1), at + (BESIDE ? VECTOR : line_stride),
                                        BESIDE ? 2 * inside - VECTOR : inside),
                                BESIDE);
            if constexpr (LOADS == SHIFTED)
#pragma unroll
                for (int j = 0; j < VECTOR; ++j)
                    if (j >= inside)
                        round_into(sums.of[j], 0);
            return sums.bits;
        }
    }

    // Add what has arrived, and write the sums to shared memory; 0 for what lies outside.
    __device__ __forceinline__ void put(ELEMENT* to, uint4* arrivals, int first) const
    {
#pragma unroll
        for (int i = 0; i < PER_THREAD; ++i) {
            Vector sums;
            sums.bits = sums_at(arrivals, i, first);
            if constexpr (Place::WHOLE)
                *reinterpret_cast<uint4*>(to + Place::of(line_of(i), inner_of(i))) = sums.bits;
            else
#pragma unroll
                for (int j = 0; j < VECTOR; ++j)
                    to[Place::of(line_of(i) + (K_MAJOR ? 0 : j), inner_of(i) + (K_MAJOR ? j : 0))] = sums.of[j];
        }
    }
};
