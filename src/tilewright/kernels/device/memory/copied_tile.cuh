// Tiles of 32- and 64-bit operands on their way into shared memory, past the registers.
//
// cp.async copies VECTOR elements at once and writes 0 for what lies outside. Where memory has lines of the inner index
// and threads read lines of the other, each element is copied to its own place: the tile is transposed on its way.
// Source: PTX ISA, section on cp.async.
#pragma once

#include "device/memory/layer.cuh"
#include "device/memory/vectors.cuh"

// Copy the first `count` elements of a vector to shared memory, without waiting where the chip can, and 0 for the
// others. Whether there may be some of both is known where PARTIAL is 0.
template <int VECTOR, int PARTIAL, typename T>
__device__ __forceinline__ void copy_or_zero(T* to, const T* from, int count)
{
    constexpr int BYTES = VECTOR * static_cast<int>(sizeof(T));
#if __CUDA_ARCH__ >= 800
    int bytes = PARTIAL ? max(min(count, VECTOR), 0) * static_cast<int>(sizeof(T)) : count > 0 ? BYTES : 0;
    copy_async<BYTES>(to, from, bytes);
#else
    using Vector = typename VectorOf<BYTES>::Type;
    if (!PARTIAL || count >= VECTOR)
        *reinterpret_cast<Vector*>(to) = count > 0 ? *reinterpret_cast<const Vector*>(from) : Vector{};
    else
        for (int i = 0; i < VECTOR; ++i)
            to[i] = i < count ? from[i] : T{};
#endif
}

// A tile of LINES x INNER elements of A (a line is a row) or B (a line is a column). INNER_FIRST says which of the two
// is contiguous in memory, RUN how many neighbours along it the lanes of a warp take before they go to the next,
// PARTIAL whether the last vector along it may lie outside in part.
template <typename T, int LINES, int INNER, int INNER_FIRST, int VECTOR, int RUN, int THREADS, int PARTIAL = 0>
struct CopiedTile {
    static constexpr int INNERS = INNER;
    static constexpr int PER_RUN = RUN / VECTOR, COPIES = LINES * INNER / VECTOR;
    static constexpr int PER_THREAD = (COPIES + THREADS - 1) / THREADS;
    static_assert(RUN % VECTOR == 0 && (INNER_FIRST ? INNER % RUN == 0 : RUN == LINES), "runs make up the tile");
    static_assert(COPIES % THREADS == 0 || COPIES < THREADS, "threads copy as much, or only some copy");
    static_assert(PER_THREAD == 1 || THREADS % PER_RUN == 0 || PER_RUN % THREADS == 0, "steps are the same for all");
    static_assert(!INNER_FIRST || LINES * PER_RUN % THREADS == 0 || THREADS % (LINES * PER_RUN) == 0, "and for lines");

    const T* at; // this thread's first element of the next tile
    long long line_stride, inner_stride;
    int first_line, first_inner; // of it, in a tile
    int lines; // that are inside, from the tile's first

    // Copies are numbered along runs. Number i of a thread is so many lines and inner indices past its first.
    __device__ __forceinline__ static constexpr int runs_to(int i)
    {
        return THREADS >= PER_RUN ? i * (THREADS / PER_RUN) : i * THREADS / PER_RUN;
    }
    __device__ __forceinline__ static constexpr int lines_to(int i)
    {
        if (INNER_FIRST)
            return runs_to(i) % LINES;
        return THREADS >= PER_RUN ? 0 : i * THREADS % PER_RUN * VECTOR;
    }
    __device__ __forceinline__ static constexpr int inners_to(int i)
    {
        return INNER_FIRST ? runs_to(i) / LINES * RUN : runs_to(i);
    }

    // `from` is the matrix; the tile begins at a line and an inner index of it.
    __device__ __forceinline__ CopiedTile(const T* from, long long line_stride, long long inner_stride, int line,
                                          int inner, int all_lines)
        : line_stride(line_stride), inner_stride(VECTOR > 1 && INNER_FIRST ? 1 : inner_stride), lines(all_lines - line)
    {
        int thread = threadIdx.x, run = thread / PER_RUN, within = thread % PER_RUN * VECTOR;
        first_line = INNER_FIRST ? run % LINES : within;
        first_inner = INNER_FIRST ? run / LINES * RUN + within : run;
        at = from + (line + first_line) * line_stride + (inner + first_inner) * this->inner_stride;
    }

    // Begin to copy the next tile, of which `inners` inner indices are inside (all if they are more).
    template <typename Place> __device__ __forceinline__ void copy(T* to, int inners)
    {
#pragma unroll
        for (int i = 0; i < PER_THREAD; ++i) {
            if (COPIES < THREADS && threadIdx.x >= COPIES)
                break;
            const T* source = at + lines_to(i) * line_stride + inners_to(i) * inner_stride;
            int inners_left = inners - (first_inner + inners_to(i)), lines_left = lines - (first_line + lines_to(i));
            int count = INNER_FIRST ? (lines_left > 0 ? inners_left : 0) : (inners_left > 0 ? lines_left : 0);
            T* place = to + Place::of(first_line + lines_to(i), first_inner + inners_to(i));
            copy_or_zero<VECTOR, PARTIAL>(place, source, count);
        }
        at += INNER * inner_stride;
    }
};

// The tiles of A and B that make up a stage, where PlaceA and PlaceB say. LINES_OF_ONE: the rows of A that make one of
// C, and the columns of B.
template <typename TileA, typename TileB, typename PlaceA, typename PlaceB, int LINES_OF_ONE = 1> struct CopiedStage {
    TileA a;
    TileB b;
    int inners; // that are not copied yet

    // From where the tiles of a layer begin.
    template <typename T>
    __device__ __forceinline__ CopiedStage(const T* A, const T* B, const SplitProduct& product, const Layer& layer)
        : a(matrix_at(A, product.a, layer.batch_1, layer.batch_2), product.a.row, product.a.column,
            LINES_OF_ONE * layer.row, layer.first, LINES_OF_ONE * product.m),
          b(matrix_at(B, product.b, layer.batch_1, layer.batch_2), product.b.column, product.b.row,
            LINES_OF_ONE * layer.column, layer.first, LINES_OF_ONE * product.n),
          inners(layer.inners)
    {
    }

    // Begin to copy the next stage; its copies are a group.
    template <typename T> __device__ __forceinline__ void copy(T* to)
    {
        a.template copy<PlaceA>(to, inners);
        b.template copy<PlaceB>(to + PlaceA::ELEMENTS, inners);
        end_of_copies();
        inners -= TileA::INNERS;
    }
};
