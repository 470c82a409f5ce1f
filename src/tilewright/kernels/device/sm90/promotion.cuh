// Sums of the tensor cores, added up by threads: rounded to the nearest, where the tensor cores cut off.
//
// A thread holds each sum twice: as the tensor cores add to it, and promoted. A third level waits in memory (L2): one
// place for each thread, which alone reads and writes it, so that nothing needs to be waited for but the loads.
#pragma once

#include "device/memory/split_flags.cuh"
#include "device/sm90/tile.cuh"

constexpr float LOW_PARTS_SCALE = 1.0f / 2048; // a low part of float16 is kept 2^11 larger than it is

__device__ __forceinline__ void clear(float (&promoted)[M_TILES][BLOCK_N / 2])
{
#pragma unroll
    for (int i = 0; i < M_TILES * (BLOCK_N / 2); ++i)
        promoted[i / (BLOCK_N / 2)][i % (BLOCK_N / 2)] = 0;
}

// Add sums that the tensor cores have finished; they may begin new ones in their place.
__device__ __forceinline__ void promote(float (&promoted)[M_TILES][BLOCK_N / 2], float (&sums)[M_TILES][BLOCK_N / 2],
                                        float scale = 1)
{
#pragma unroll
    for (int i = 0; i < M_TILES; ++i) {
        wgmma_finished(sums[i]);
#pragma unroll
        for (int j = 0; j < BLOCK_N / 2; ++j)
            promoted[i][j] = fmaf(sums[i][j], scale, promoted[i][j]);
    }
}

// A thread's place in memory for its sums, in vectors that neighbouring threads have side by side.
struct SumsInMemory {
    float4* at;

    __device__ __forceinline__ SumsInMemory(float4* waiting, int consumer, int thread)
        : at(waiting + (static_cast<long long>(blockIdx.x) * CONSUMERS + consumer) * VECTORS * WARPGROUP_THREADS +
             thread)
    {
    }

    // Add promoted sums to those in memory, or put the first ones there. `free` are registers that hold nothing.
    __device__ __forceinline__ void add(float (&promoted)[M_TILES][BLOCK_N / 2], float (&free)[M_TILES][BLOCK_N / 2],
                                        bool is_first)
    {
        if (!is_first)
            add_to(promoted, free);
#pragma unroll
        for (int i = 0; i < VECTORS; ++i) {
            const float* from = &promoted[i * 4 / (BLOCK_N / 2)][i * 4 % (BLOCK_N / 2)];
            at[i * WARPGROUP_THREADS] = make_float4(from[0], from[1], from[2], from[3]);
        }
    }

    // Add those in memory to promoted sums. They are loaded together, so that memory is waited for once.
    __device__ __forceinline__ void add_to(float (&promoted)[M_TILES][BLOCK_N / 2],
                                           float (&free)[M_TILES][BLOCK_N / 2]) const
    {
#pragma unroll
        for (int i = 0; i < VECTORS; ++i) {
            float4 four = at[i * WARPGROUP_THREADS];
            float* to = &free[i * 4 / (BLOCK_N / 2)][i * 4 % (BLOCK_N / 2)];
            to[0] = four.x;
            to[1] = four.y;
            to[2] = four.z;
            to[3] = four.w;
        }
#pragma unroll
        for (int i = 0; i < M_TILES; ++i)
#pragma unroll
            for (int j = 0; j < BLOCK_N / 2; ++j)
                promoted[i][j] += free[i][j];
    }

private:
    static constexpr int VECTORS = M_TILES * BLOCK_N / 8;
};

// Where a thread's sums of 64 rows lie in C, as wgmma leaves them (store.cuh).
__device__ __forceinline__ int row_of_sum(int i, int thread)
{
    return thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
}
__device__ __forceinline__ int column_of_sum(int i, int thread) { return thread % 4 * 2 + i / 4 * 8 + i % 2; }

#if PLANES == 2
// Multiply sums by the powers of two that the rows of A and the columns of B were divided by: rounded once, if at all.
__device__ __forceinline__ void undo_scales(float (&sums)[BLOCK_N / 2], const int* of_rows, const int* of_columns,
                                            int row, int column, int m, int n, int thread)
{
    constexpr int EXPONENT_BIAS = 127, EXPONENT_BIT = 23, LEAST_NORMAL = -126, LARGEST = 127;
    int of_row[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int r = row + row_of_sum(2 * half, thread);
        of_row[half] = r < m ? of_rows[r] : 0;
    }
#pragma unroll
    for (int i = 0; i < BLOCK_N / 2; ++i) {
        int s = column + column_of_sum(i, thread);
        int exponent = of_row[i / 2 % 2] + (s < n ? of_columns[s] : 0);
        if (exponent >= LEAST_NORMAL && exponent <= LARGEST)
            sums[i] *= __int_as_float(exponent + EXPONENT_BIAS << EXPONENT_BIT);
        else
            sums[i] = ldexpf(sums[i], exponent);
    }
}
#endif

// What the words say of rows of A (columns of B) from `first` to before `end`, in blocks of k; a warp reads them
// together.
__device__ __forceinline__ int flags_between(const int* flags, int mn, int k, int batch, int first, int end,
                                             int first_block, int end_block)
{
    int found = 0;
    for (int region = first / FLAG_SIDE; region <= (min(end, mn) - 1) / FLAG_SIDE; ++region)
        for (int block = first_block + static_cast<int>(threadIdx.x % 32); block < end_block; block += 32)
            found = joined<PLANES>(found, *flag_at(flags, mn, k, batch, region, block));
    return joined_by_warp<PLANES>(found);
}

#if PLANES == 2
// Whether a warp has sums, still scaled, that are too small beside what so many numbers of few bits lost.
__device__ __forceinline__ bool has_lost_bits(const float (&sums)[BLOCK_N / 2], int spans, int row, int column, int m,
                                              int n, int thread)
{
    if (spans == 0)
        return false;
    float least = LEAST_SUM_PER_SPAN * static_cast<float>(spans);
    bool found = false;
#pragma unroll
    for (int i = 0; i < BLOCK_N / 2; ++i) {
        bool is_inside = row + row_of_sum(i, thread) < m && column + column_of_sum(i, thread) < n;
        found |= is_inside && fabsf(sums[i]) < least;
    }
    return __any_sync(0xFFFFFFFF, found);
}
#endif

// Whether a warp has sums that may be wrong: not finite, so an infinity or NaN was multiplied or the sum of parts left
// float32's range before the sum itself would; or too small beside what the parts lost.
__device__ __forceinline__ bool is_suspect(const float (&sums)[BLOCK_N / 2], int of_a, int of_b, int row, int column,
                                           int m, int n, int thread)
{
    constexpr float LARGEST = 3.402823466e38f, LEAST_GOOD = 0x1p-100f, LEAST_GOOD_BESIDE_TINY = 0x1p-70f;
    bool is_tiny = PLANES == 3 && (of_a | of_b) & TINY;
    bool suspect = PLANES == 3 && ((of_a & TINY && of_b & LARGE) || (of_b & TINY && of_a & LARGE));
    float least = PLANES == 2 ? 0 : is_tiny ? LEAST_GOOD_BESIDE_TINY : LEAST_GOOD;
    // Mostly all sums are in the middle of the range, which takes few instructions to see.
    float smallest = LARGEST;
    bool is_finite = true;
#pragma unroll
    for (int i = 0; i < BLOCK_N / 2; ++i) {
        smallest = fminf(smallest, fabsf(sums[i]));
        is_finite = is_finite && fabsf(sums[i]) <= LARGEST;
    }
    if (__any_sync(0xFFFFFFFF, smallest < least || !is_finite)) {
#pragma unroll
        for (int i = 0; i < BLOCK_N / 2; ++i) {
            float size = fabsf(sums[i]);
            bool is_small = size < least && (size > 0 || is_tiny);
            bool is_inside = row + row_of_sum(i, thread) < m && column + column_of_sum(i, thread) < n;
            suspect |= is_inside && (is_small || !(size <= LARGEST));
        }
    }
    return __any_sync(0xFFFFFFFF, suspect);
}
