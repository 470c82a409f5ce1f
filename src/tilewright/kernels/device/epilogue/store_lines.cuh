// From the sums in registers to C, line by line: 16-bit results through shared memory, 16 bytes a thread.
//
// Straight from the registers four threads store 16 bytes here and the next four 16 bytes a row further: each warp's
// store is eight transactions for the memory. Through shared memory a warp stores rows of 128 bytes or more. There a
// tile lies as in C, line after line; where the columns of C are contiguous (C_BY_COLUMNS) a line is a column, and
// matrices of eight by eight results are transposed on their way in (stmatrix.trans). Lines are 16 bytes longer than
// needed, so that eight of them begin in different banks.
// Results in float32 leave from the registers: there four threads store the 32 bytes of a sector.
// C begins on 16 bytes, its stride is a multiple of 16 bytes, and so is the size along which it is contiguous.
// Source: PTX ISA, "Warp level matrix store instruction: stmatrix".
#pragma once

#include "device/sm90/barrier.cuh"
#include "device/sm90/tile.cuh"

constexpr int LINE_ELEMENTS = C_BY_COLUMNS ? WARPGROUP_ROWS : BLOCK_N;
constexpr int LINES = C_BY_COLUMNS ? BLOCK_N : WARPGROUP_ROWS;
constexpr int LINE_BYTES = (LINE_ELEMENTS + PADDING) * 2;
constexpr bool STAGED = sizeof(OUTPUT) == 2;
constexpr int STAGED_BYTES = STAGED ? LINES * LINE_BYTES : 0; // of 64 x BLOCK_N results

#if C_BY_COLUMNS
#define TRANSPOSED ".trans"
#else
#define TRANSPOSED ""
#endif

// The results of a warpgroup to `staged`.
__device__ __forceinline__ void write_lines(unsigned staged, const unsigned (&pairs)[BLOCK_N / 4], int thread)
{
    int warp = thread / 32, lane = thread % 32;
    // Where in its line the 16 bytes begin that this lane gives the address of.
    int line = C_BY_COLUMNS ? lane / 16 * 8 + lane % 8 : warp * 16 + lane % 16;
    int vector = C_BY_COLUMNS ? 2 * warp + lane / 8 % 2 : lane / 16;
    unsigned to = staged + (line * LINE_BYTES + vector * VECTOR_BYTES);
    // From eight columns of the tile to the next eight.
    constexpr int GROUP_BYTES = C_BY_COLUMNS ? 8 * LINE_BYTES : VECTOR_BYTES;
#pragma unroll
    for (int j = 0; j + 1 < BLOCK_N / 8; j += 2)
        asm volatile("stmatrix.sync.aligned.m8n8.x4" TRANSPOSED ".shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         to + j * GROUP_BYTES),
                     "r"(pairs[2 * j]), "r"(pairs[2 * j + 1]), "r"(pairs[2 * j + 2]), "r"(pairs[2 * j + 3])
                     : "memory");
    if constexpr (BLOCK_N % 16 != 0)
        asm volatile("stmatrix.sync.aligned.m8n8.x2" TRANSPOSED ".shared.b16 [%0], {%1, %2};" ::"r"(
                         to + (BLOCK_N / 8 - 1) * GROUP_BYTES),
                     "r"(pairs[BLOCK_N / 4 - 2]), "r"(pairs[BLOCK_N / 4 - 1])
                     : "memory");
}

// The lines of a tile to C, of which `lines` of `elements` lie inside; `c` is where the first line begins.
__device__ __forceinline__ void copy_lines(OUTPUT* c, long long stride, const unsigned char* staged, int lines,
                                           int elements, int thread)
{
    constexpr int VECTORS = LINE_ELEMENTS / VECTOR_ELEMENTS; // of a line
#pragma unroll
    for (int i = 0; i < LINES * VECTORS; i += WARPGROUP_THREADS) {
        int line = (i + thread) / VECTORS, vector = (i + thread) % VECTORS;
        if (line < min(lines, LINES) && VECTOR_ELEMENTS * vector < elements)
            reinterpret_cast<uint4*>(c + line * stride)[vector] =
                *reinterpret_cast<const uint4*>(staged + line * LINE_BYTES + vector * VECTOR_BYTES);
    }
}

// The 64 x BLOCK_N results of a warpgroup, which begin at (row, column) of a C of m x n, by way of `staged`.
template <typename Stored>
__device__ __forceinline__ void store_lines(Stored* c, long long stride, unsigned char* staged,
                                            const ResultsOf<Stored>& results, int row, int column, int m, int n,
                                            int warps_id, int thread)
{
    if constexpr (STAGED) {
        write_lines(shared_address(staged), results.value, thread);
        warps_sync(warps_id, WARPGROUP_THREADS);
        if (C_BY_COLUMNS)
            copy_lines(c + column * stride + row, stride, staged, n - column, m - row, thread);
        else
            copy_lines(c + row * stride + column, stride, staged, m - row, n - column, thread);
    } else {
        row += thread / 32 * 16 + thread % 32 / 4;
        column += thread % 4 * 2;
#pragma unroll
        for (int i = 0; i < BLOCK_N / 2; ++i) {
            int r = row + i / 2 % 2 * 8, s = column + i / 4 * 8 + i % 2;
            if (r < m && s < n)
                c[C_BY_COLUMNS ? s * stride + r : r * stride + s] = results.at(i);
        }
    }
}
