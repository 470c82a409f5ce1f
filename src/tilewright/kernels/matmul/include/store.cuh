// From the sums in registers to C, three ways: STORE is BY_COPY_ENGINE, BY_ROWS or BY_ELEMENTS.
//
// wgmma leaves a 64 x N tile so: warp w of the four holds rows 16 w to 16 w + 15; its lane l holds, for each group j of
// eight columns, sums[4 j] and [4 j + 1] in row l / 4 at columns 8 j + 2 (l % 4) and one on, [4 j + 2] and [4 j + 3]
// eight rows further down. A store straight from there would write 16 bytes here and 16 there.
//   BY_COPY_ENGINE  through shared memory in chunks of 128 bytes a row, each stored as a box: C must suit the engine.
//   BY_ROWS         through shared memory, whole pieces of 16 bytes a lane, whatever the base and row stride of C.
//   BY_ELEMENTS     straight from the registers: any strides. For results that are small beside the operands.
#pragma once

#include "include/epilogue.cuh"
#include "include/tma.cuh"

#define BY_COPY_ENGINE 0
#define BY_ROWS 1
#define BY_ELEMENTS 2

__host__ __device__ constexpr int power_of_two_in(int value, int most)
{
    int power = 1;
    while (power < most && value % (2 * power) == 0)
        power *= 2;
    return power;
}

constexpr int CHUNK_COLUMNS = power_of_two_in(BLOCK_N, 128 / static_cast<int>(sizeof(OUTPUT)));
constexpr int CHUNK_ROW_BYTES = CHUNK_COLUMNS * static_cast<int>(sizeof(OUTPUT));
constexpr int CHUNK_BYTES = 64 * CHUNK_ROW_BYTES;

// BY_ROWS: a warp's 16 rows of up to 256 bytes, each with 16 bytes more to be shifted by.
constexpr int PIECE = 16 / static_cast<int>(sizeof(OUTPUT));
constexpr int STAGED_COLUMNS = power_of_two_in(BLOCK_N, 16 * PIECE);
constexpr int STAGED_ROW_BYTES = STAGED_COLUMNS * static_cast<int>(sizeof(OUTPUT)) + 16;

// Two chunks per group of 64 rows, or the rows of its four warps.
constexpr int STAGING_BYTES = STORE == BY_COPY_ENGINE ? 2 * CHUNK_BYTES : STORE == BY_ROWS ? 64 * STAGED_ROW_BYTES : 0;

// The engine's swizzle: bits 4 to 6 of the place in a chunk are XORed with the bits above its row's width.
__device__ __forceinline__ int swizzled(int offset)
{
    return offset ^ ((offset >> 7 & (CHUNK_ROW_BYTES / 16 - 1)) << 4);
}

struct Output {
    OUTPUT* c; // of this batch
    long long row_stride, column_stride;
    int m, n;
};

// Store four 8 x 8 matrices of 16-bit elements, a row of 16 bytes at the address that each lane gives.
__device__ __forceinline__ void store_matrices(unsigned address, unsigned a, unsigned b, unsigned c, unsigned d)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b),
                 "r"(c), "r"(d)
                 : "memory");
}

// A 64 x CHUNK_COLUMNS chunk of the sums, from registers to shared memory.
template <typename Stored>
__device__ __forceinline__ void write_chunk(unsigned char* chunk, const float* sums, int thread)
{
    int lane = thread % 32;
    int warp_row = thread / 32 * 16;
    if constexpr (sizeof(Stored) == 2 && CHUNK_COLUMNS >= 16) {
        int row = warp_row + lane % 16;
        unsigned base = shared_address(chunk);
#pragma unroll
        for (int j = 0; j < CHUNK_COLUMNS / 8; j += 2) {
            const float* s = sums + 4 * j;
            store_matrices(base + swizzled(row * CHUNK_ROW_BYTES + (j + lane / 16) * 16),
                           packed(Stored(), s[0], s[1]), packed(Stored(), s[2], s[3]), packed(Stored(), s[4], s[5]),
                           packed(Stored(), s[6], s[7]));
        }
    } else {
#pragma unroll
        for (int i = 0; i < CHUNK_COLUMNS / 2; ++i) {
            int row = warp_row + lane / 4 + i / 2 % 2 * 8;
            int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
            Stored* to = reinterpret_cast<Stored*>(
                chunk + swizzled(row * CHUNK_ROW_BYTES + column * static_cast<int>(sizeof(Stored))));
            round_into(*to, sums[i]);
        }
    }
}

// Two elements side by side to shared memory, one at a time: they need not lie on a boundary of both. As PTX, because
// the compiler moves plain stores (and so reads of the sums) up to where wgmma still runs, and then serialises wgmma.
template <typename Stored>
__device__ __forceinline__ void store_neighbours(unsigned address, float first, float second)
{
    if constexpr (sizeof(Stored) == 2)
        asm volatile("{\n.reg .b16 first, second;\nmov.b32 {first, second}, %1;\n"
                     "st.shared.b16 [%0], first;\nst.shared.b16 [%0 + 2], second;\n}" ::"r"(address),
                     "r"(packed(Stored(), first, second))
                     : "memory");
    else
        asm volatile("st.shared.f32 [%0], %1;\nst.shared.f32 [%0 + 4], %2;" ::"r"(address), "f"(first), "f"(second)
                     : "memory");
}

// A warp's 16 rows by STAGED_COLUMNS, through `staged`, to C at any address. Each row lies in shared memory as far from
// a 16-byte boundary as it will lie in C, so that whole pieces of C are whole pieces here.
__device__ __forceinline__ void store_rows(unsigned char* staged, const float* sums, const Output& out, int row,
                                           int column, int lane)
{
    auto shift_of = [&](int r) {
        return static_cast<int>(reinterpret_cast<unsigned long long>(out.c + r * out.row_stride + column) % 16 /
                                sizeof(OUTPUT));
    };
    __syncwarp(); // the rows staged before have been read
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        int r = lane / 4 + 8 * half;
        unsigned to = shared_address(staged + r * STAGED_ROW_BYTES) +
                      (shift_of(row + r) + lane % 4 * 2) * static_cast<int>(sizeof(OUTPUT));
#pragma unroll
        for (int j = 0; j < STAGED_COLUMNS / 8; ++j) {
            store_neighbours<OUTPUT>(to + 8 * j * sizeof(OUTPUT), sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1]);
        }
    }
    __syncwarp();
    // Half a warp to a row: a whole piece for each of 16 lanes, then the elements before the first and after the last.
    int piece = lane % 16;
    int columns = min(STAGED_COLUMNS, out.n - column);
#pragma unroll
    for (int pair = 0; pair < 8; ++pair) {
        int r = 2 * pair + lane / 16;
        if (row + r >= out.m || columns <= 0)
            continue;
        int begin = shift_of(row + r);
        int end = begin + columns;
        const OUTPUT* from = reinterpret_cast<const OUTPUT*>(staged + r * STAGED_ROW_BYTES);
        OUTPUT* to = out.c + (row + r) * out.row_stride + column - begin;
        if (PIECE * piece >= begin && PIECE * (piece + 1) <= end)
            reinterpret_cast<uint4*>(to)[piece] = reinterpret_cast<const uint4*>(from)[piece];
        int tail = end / PIECE * PIECE;
        bool before = begin > 0 && piece < PIECE && piece >= begin && piece < end;
        bool after = piece >= PIECE && piece < 2 * PIECE && tail + piece - PIECE < end && (tail > 0 || begin == 0);
        int single = before ? piece : tail + piece - PIECE;
        if (before || after)
            to[single] = from[single];
    }
}
static_assert(STAGED_COLUMNS <= 16 * PIECE, "a row of 16 pieces that begins off a boundary ends in a partial 17th");

// The sums of one thread to C, element by element.
__device__ __forceinline__ void store_elements(const float (&sums)[BLOCK_N / 2], const Output& out, int row, int column,
                                               int thread)
{
    int first_row = row + thread / 32 * 16 + thread % 32 / 4;
    int first_column = column + thread % 4 * 2;
#pragma unroll
    for (int i = 0; i < BLOCK_N / 2; ++i) {
        int r = first_row + i / 2 % 2 * 8;
        int c = first_column + i / 4 * 8 + i % 2;
        if (r < out.m && c < out.n)
            round_into(out.c[r * out.row_stride + c * out.column_stride], sums[i]);
    }
}
