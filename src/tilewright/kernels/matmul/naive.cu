// Matrix multiplication, the baseline: one thread computes one element of C.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), all row-major; any m, n, k.
// Launch: blocks of TILE x TILE threads; grid.x covers the columns of C, grid.y its rows.
// Seeds:  000 (baseline kernel), 001, 004. 004's version has no bounds check; this one has 000's.
// New:    the two outer loops of sequential.c are gone: the grid holds a thread for each (row, column).
//         Every thread reads 2 * k elements from global memory, though its neighbors read the same ones.
// Next:   tiled_exact.cu lets the threads of a block load each element once and share it.

#ifndef TILE
#define TILE 16
#endif
#ifndef ELEMENT
#define ELEMENT float
#endif

extern "C" __global__ void matmul_naive(const ELEMENT* A, const ELEMENT* B, ELEMENT* C, int m, int n, int k)
{
    // Find the element of C that belongs to this thread. threadIdx.x runs along columns, so that the
    // threads of a warp read neighboring elements of B and write neighboring elements of C.
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;

    // The last blocks reach past the edges of C: their outer threads have nothing to do.
    if (row < m && column < n) {

        // Walk along A's row and down B's column together, both in global memory.
        ELEMENT sum = 0;
        for (int p = 0; p < k; ++p)
            sum += A[row * k + p] * B[p * n + column];

        C[row * n + column] = sum;
    }
}
