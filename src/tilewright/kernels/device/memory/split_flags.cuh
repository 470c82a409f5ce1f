// What the 16-bit parts of float32 numbers do not hold: flags, a word for each 64 of mn (m of A, n of B) and 64 of k.
//
// split_float32.cu writes the words; wgmma_split.cu reads those of a tile's rows and columns, and decides whether its
// sums are good.
#pragma once

constexpr int FLAG_SIDE = 64;      // elements of mn and of k that share a word
// Of k, those that share an entry of largest_exponents.cu: EXPONENT_CHUNK, or a multiple of it where k is long. A row
// has so few entries that each block of split_float32.cu reads them all, and all rows so many that a chip is busy.
constexpr int EXPONENT_CHUNK = 512, LEAST_CHUNKS = 16, MOST_CHUNKS = 128, BUSY_BLOCKS = 1024;

// Flags of bfloat16 parts: bits below 2^-133 are lost, so a number below 2^-110 may lose some. That matters only beside
// large numbers, or where the sums are small, too.
constexpr int TINY = 1, LARGE = 2;
// Of float16 parts words count numbers so far below the largest of their row of A or column of B that they have fewer
// bits. Scaled, such a number errs by 2^-35, and its product by no more than 2^-19 (the other factor is below 2^15, and
// the product of two low parts is left out): a sum of 8 or more for each of them still has its 22 bits.
constexpr float LEAST_SUM_PER_SPAN = 8.0f;
constexpr int MOST_SPANS = 1 << 24; // that a thread counts

constexpr float LEAST_EXACT = 0x1p-110f, LARGEST_BESIDE_TINY = 0x1p20f;
constexpr float LEAST_NORMAL_HALF = 0x1p-14f;

__device__ __forceinline__ int flags_of_bfloat16(float x)
{
    float size = fabsf(x);
    return (size < LEAST_EXACT && size > 0 ? TINY : 0) | (size > LARGEST_BESIDE_TINY ? LARGE : 0);
}

__device__ __forceinline__ int spans_of_float16(float before, float scaled)
{
    return before != 0 && fabsf(scaled) < LEAST_NORMAL_HALF;
}

// What several numbers have together: of bfloat16 parts which flags, of float16 parts how many spans.
template <int PARTS> __device__ __forceinline__ int joined(int some, int others)
{
    return PARTS == 2 ? min(some + others, MOST_SPANS) : some | others;
}

template <int PARTS> __device__ __forceinline__ int joined_by_warp(int own)
{
    return PARTS == 2 ? __reduce_add_sync(0xFFFFFFFF, own) : __reduce_or_sync(0xFFFFFFFF, own);
}

// Where the word of a region is.
template <typename T>
__device__ __forceinline__ T* flag_at(T* flags, int mn, int k, int batch, int region_mn, int region_k)
{
    int down = (mn + FLAG_SIDE - 1) / FLAG_SIDE, across = (k + FLAG_SIDE - 1) / FLAG_SIDE;
    return flags + (static_cast<long long>(batch) * down + region_mn) * across + region_k;
}

__device__ __forceinline__ int exponent_chunk(int mn, int k)
{
    int down = (mn + FLAG_SIDE - 1) / FLAG_SIDE, most = max(min(BUSY_BLOCKS / max(down, 1), MOST_CHUNKS), LEAST_CHUNKS);
    int whole = (k + EXPONENT_CHUNK - 1) / EXPONENT_CHUNK;
    return max((whole + most - 1) / most, 1) * EXPONENT_CHUNK;
}

// The exponent of the scale of a row of A or column of B: it brings the largest number to 2^14 or above, below 2^15.
// `largest` has the biased exponents of the largest numbers, an entry for each row and exponent_chunk of k.
__device__ __forceinline__ int scale_exponent(const unsigned char* largest, int mn_count, int k, int batch, int mn)
{
    constexpr int EXPONENT_BIAS = 127, GOAL = 14;
    int in_chunk = exponent_chunk(mn_count, k), chunks = (k + in_chunk - 1) / in_chunk, most = 0;
#pragma unroll 8
    for (int chunk = 0; chunk < chunks; ++chunk)
        most = max(most, static_cast<int>(largest[(static_cast<long long>(batch) * chunks + chunk) * mn_count + mn]));
    return EXPONENT_BIAS + GOAL - most;
}
