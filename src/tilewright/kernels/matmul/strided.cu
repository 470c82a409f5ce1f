// Tiled matrix multiplication for operands as they lie: any strides, batches, and an epilogue.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), any m, n, k from 0 up; strides count elements, may be 0 or negative.
//         Products of a batch are numbered; number i has the indices i / inner_batches and i % inner_batches.
// Stored: activation(alpha * sum + beta * addend + bias), all in ELEMENT.
// Launch: blocks of TILE x TILE threads, a line of them that take tiles of C in turn.
// Seeds:  000, 004 (tiles with boundary checks).
// New:    tiled.cu takes packed row-major matrices. Here each index is multiplied by a stride, in 64 bits, so that
//         a transposed, sliced or repeated matrix needs no copy, and more than 2^31 elements are right.
// Next:   threads that compute more than one element each.

#include "device/sm90/barrier.cuh"

#ifndef TILE
#define TILE 16
#endif
#ifndef ELEMENT
#define ELEMENT float
#endif
#ifndef HAS_ADDEND
#define HAS_ADDEND 0
#endif
#ifndef HAS_BIAS
#define HAS_BIAS 0
#endif
#ifndef ACTIVATION
#define ACTIVATION 0 // 1 relu, 2 gelu (with the error function), 3 silu
#endif

// NaN stays NaN in all of them.
__device__ __forceinline__ ELEMENT activated(ELEMENT value)
{
#if ACTIVATION == 1
    return value < 0 ? 0 : value;
#elif ACTIVATION == 2
    return (ELEMENT)0.5 * value * (1 + erf(value * (ELEMENT)0.70710678118654752440));
#elif ACTIVATION == 3
    return value / (1 + exp(-value));
#else
    return value;
#endif
}

extern "C" __global__ void __launch_bounds__(TILE * TILE) matmul_strided(
    const ELEMENT* A, const ELEMENT* B, ELEMENT* C, const ELEMENT* addend, const ELEMENT* bias, int m, int n, int k,
    long long batches, long long inner_batches, ELEMENT alpha, ELEMENT beta,
    long long a_row_stride, long long a_column_stride, long long a_inner_stride, long long a_outer_stride,
    long long b_row_stride, long long b_column_stride, long long b_inner_stride, long long b_outer_stride,
    long long c_row_stride, long long c_column_stride, long long c_inner_stride, long long c_outer_stride,
    long long addend_row_stride, long long addend_column_stride, long long addend_inner_stride,
    long long addend_outer_stride)
{
    __shared__ ELEMENT tile_A[TILE][TILE];
    __shared__ ELEMENT tile_B[TILE][TILE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    long long tiles_across = (n + (long long)TILE - 1) / TILE;
    long long tiles_down = (m + (long long)TILE - 1) / TILE;

    wait_for_previous_kernel();
    for (long long tile = blockIdx.x; tile < tiles_across * tiles_down * batches; tile += gridDim.x) {

        // Find the product of this tile, and this thread's element in it.
        long long outer = tile / (tiles_across * tiles_down) / inner_batches;
        long long inner = tile / (tiles_across * tiles_down) % inner_batches;
        long long row = tile / tiles_across % tiles_down * TILE + ty;
        long long column = tile % tiles_across * TILE + tx;
        const ELEMENT* a = A + outer * a_outer_stride + inner * a_inner_stride;
        const ELEMENT* b = B + outer * b_outer_stride + inner * b_inner_stride;

        ELEMENT sum = 0;
        for (long long first = 0; first < k; first += TILE) {
            tile_A[ty][tx] = row < m && first + tx < k ? a[row * a_row_stride + (first + tx) * a_column_stride] : 0;
            tile_B[ty][tx] =
                first + ty < k && column < n ? b[(first + ty) * b_row_stride + column * b_column_stride] : 0;

            // Wait until both tiles are complete.
            __syncthreads();

            for (int i = 0; i < TILE; ++i)
                sum += tile_A[ty][i] * tile_B[i][tx];

            // Wait until nobody reads these tiles any more.
            __syncthreads();
        }

        if (row < m && column < n) {
            ELEMENT value = alpha * sum;
#if HAS_ADDEND
            value += beta * addend[outer * addend_outer_stride + inner * addend_inner_stride +
                                   row * addend_row_stride + column * addend_column_stride];
#endif
#if HAS_BIAS
            value += bias[column];
#endif
            C[outer * c_outer_stride + inner * c_inner_stride + row * c_row_stride + column * c_column_stride] =
                activated(value);
        }
    }
}
