// Tiled matrix multiplication for any sizes: what lies outside a matrix is loaded as 0.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), all row-major; any m, n, k.
// Launch: blocks of TILE x TILE threads; grid.x covers the columns of C, grid.y its rows.
// Seeds:  000 (boundary checks), 004 (tiledMatMultiply.cu). 000 ends with `col` and `P` for Col and C.
// New:    three guards. A load outside A or B writes 0 to the tile, which adds nothing to a sum; the store
//         is skipped outside C. A thread outside C stays, because its block needs it to load and to wait.
// Next:   tiled_inner_barrier.cu moves the second barrier into the inner loop, to see what that costs.

#ifndef TILE
#define TILE 16
#endif
#ifndef ELEMENT
#define ELEMENT float
#endif

extern "C" __global__ void matmul_tiled(const ELEMENT* A, const ELEMENT* B, ELEMENT* C, int m, int n, int k)
{
    __shared__ ELEMENT tile_A[TILE][TILE];
    __shared__ ELEMENT tile_B[TILE][TILE];

    // Find the element of C that belongs to this thread, and its place inside the tile.
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int column = blockIdx.x * TILE + tx;

    ELEMENT sum = 0;
    for (int phase = 0; phase < (k + TILE - 1) / TILE; ++phase) {

        // Load together, with 0 where the tile reaches past the edge of its matrix.
        if (row < m && phase * TILE + tx < k)
            tile_A[ty][tx] = A[row * k + phase * TILE + tx];
        else
            tile_A[ty][tx] = 0;

        if (phase * TILE + ty < k && column < n)
            tile_B[ty][tx] = B[(phase * TILE + ty) * n + column];
        else
            tile_B[ty][tx] = 0;

        // Wait until both tiles are complete: a thread is about to read what others loaded.
        __syncthreads();

        // Compute on the tiles alone; the zeros leave the sum as it is.
        for (int i = 0; i < TILE; ++i)
            sum += tile_A[ty][i] * tile_B[i][tx];

        // Wait until nobody reads these tiles any more: the next phase overwrites them.
        __syncthreads();
    }

    // Only a thread inside C has a result to store.
    if (row < m && column < n)
        C[row * n + column] = sum;
}
