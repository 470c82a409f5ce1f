// Tiled matrix multiplication for operands as they lie: any strides, batches, and an epilogue.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), any m, n, k from 0 up, any strides, up to two batch extents.
// Launch: blocks of TILE x TILE threads, a line of them that take tiles of C in turn.
// Seeds:  000, 004 (tiles with boundary checks).
// New:    tiled.cu takes packed row-major matrices. Here each index is multiplied by a stride, in 64 bits, so that
//         a transposed, sliced or repeated matrix needs no copy, and more than 2^31 elements are right.
// Next:   threads that compute more than one element each.
//
// Macros: ELEMENT, TILE; those of epilogue.cuh, of which SUM and OUTPUT are ELEMENT.

#ifndef TILE
#define TILE 16
#endif
#ifndef ELEMENT
#define ELEMENT float
#endif
#define SUM ELEMENT
#define EXACT_ACTIVATION 1
#include "device/epilogue/epilogue.cuh"
#include "device/memory/rasterization.cuh"

extern "C" __global__ void __launch_bounds__(TILE * TILE)
    matmul_strided(const ELEMENT* A, const ELEMENT* B, ELEMENT* C, const COperandElement* c_operand,
                   const BiasElement* bias, const __grid_constant__ StridedProduct product,
                   const __grid_constant__ EpilogueScalars scalars)
{
    __shared__ ELEMENT tile_A[TILE][TILE];
    __shared__ ELEMENT tile_B[TILE][TILE];
    const int m = product.m, n = product.n, k = product.k;
    int tx = threadIdx.x, ty = threadIdx.y;

    wait_for_previous_kernel();
    for (long long index = blockIdx.x; index < tiles_of<TILE, TILE>(m, n, product.batches); index += gridDim.x) {
        Tile tile = tile_at<TILE, TILE>(index, m, n, product.batches_1);
        const ELEMENT* a = matrix_at(A, product.a, tile.batch_1, tile.batch_2);
        const ELEMENT* b = matrix_at(B, product.b, tile.batch_1, tile.batch_2);
        int row = tile.row + ty, column = tile.column + tx;

        ELEMENT sum = 0;
        for (int first = 0; first < k; first += TILE) {
            tile_A[ty][tx] = row < m && first + tx < k ? a[row * product.a.row + (first + tx) * product.a.column] : 0;
            tile_B[ty][tx] =
                first + ty < k && column < n ? b[(first + ty) * product.b.row + column * product.b.column] : 0;

            // Wait until both tiles are complete.
            __syncthreads();

            for (int i = 0; i < TILE; ++i)
                sum += tile_A[ty][i] * tile_B[i][tx];

            // Wait until nobody reads these tiles any more.
            __syncthreads();
        }

        if (row < m && column < n) {
            ELEMENT* c = matrix_at(C, product.c, tile.batch_1, tile.batch_2);
            Epilogue epilogue{c_operand, bias, scalars};
            epilogue.enter_batch(tile.batch_1, tile.batch_2);
            c[row * product.c.row + column * product.c.column] = epilogue(sum, row, column);
        }
    }
}
