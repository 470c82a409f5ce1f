// Repack a matrix whose rows (of A; columns of B) lie along k, with the same k side by side: transposed, rows aligned.
//
// Shapes: `lines` x k 16-bit elements, each line contiguous, lines any distance apart; it becomes k rows of
//   `to_row_stride` elements, a multiple of 8, in the workspace: elements behind the last line are 0.
// The idea: loads go along k and stores across it, both in vectors of 16 bytes; in between, a tile of 64 x 64 elements
//   lies in shared memory, in rows of an odd number of words, so that lanes meet in few banks.
// Seeds:  000 (tiles that exceed the matrix), 003 (what one thread wrote, another one reads).
// New:    vectors are cut out at any address (any_vector.cuh).
// Next:   wgmma.cu takes every eighth k of both operands (k_classes.cuh).
// Launch: 256 threads a block; a block for each 64 of k along x, for each 64 lines along y.
//
// Macros: ELEMENT (any type of 16 bits).
// Parameters: from, to, and the sizes and strides.

#ifndef ELEMENT
#define ELEMENT __half
#endif
#include "device/memory/any_vector.cuh"
#include "device/memory/operand.cuh"

constexpr int THREADS = 256, SIDE = 64, TILE_VECTORS = SIDE / VECTOR_ELEMENTS, WORDS = SIDE / 2 + 1;
constexpr int AT_ONCE = SIDE * TILE_VECTORS / THREADS; // vectors of a thread

struct Lines {
    int lines, k;
    long long line_stride;
    int to_row_stride;
};

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_repack_turned(const ELEMENT* from, ELEMENT* to, const __grid_constant__ Lines matrix)
{
    __shared__ unsigned turned[SIDE][WORDS]; // a row of k each, of pairs of lines
    wait_for_previous_kernel();
    const ELEMENT* end = from + (matrix.lines - 1) * matrix.line_stride + matrix.k;
    int first_k = blockIdx.x * SIDE, first_line = blockIdx.y * SIDE;
    int of_tile = threadIdx.x / TILE_VECTORS, vector = threadIdx.x % TILE_VECTORS;

    uint4 found[AT_ONCE];
#pragma unroll
    for (int i = 0; i < AT_ONCE; ++i) {
        int line = first_line + of_tile + i * (SIDE / AT_ONCE), k = first_k + vector * VECTOR_ELEMENTS;
        const ELEMENT* at = from + line * matrix.line_stride + k;
        found[i] = {};
        if (line < matrix.lines && k < matrix.k)
            found[i] = vector_of(load_pair(at, matrix.k - k, from, end), at);
    }
#pragma unroll
    for (int i = 0; i < AT_ONCE; ++i) {
        const unsigned word[4] = {found[i].x, found[i].y, found[i].z, found[i].w};
#pragma unroll
        for (int j = 0; j < VECTOR_ELEMENTS; ++j)
            reinterpret_cast<unsigned short*>(turned[vector * VECTOR_ELEMENTS + j])[of_tile + i * (SIDE / AT_ONCE)] =
                static_cast<unsigned short>(word[j / 2] >> j % 2 * 16);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < AT_ONCE; ++i) {
        int row = of_tile + i * (SIDE / AT_ONCE), k = first_k + row, line = first_line + vector * VECTOR_ELEMENTS;
        const unsigned* words = &turned[row][vector * VECTOR_ELEMENTS / 2];
        if (k < matrix.k && line < matrix.to_row_stride)
            *reinterpret_cast<uint4*>(to + static_cast<long long>(k) * matrix.to_row_stride + line) =
                make_uint4(words[0], words[1], words[2], words[3]);
    }
}
