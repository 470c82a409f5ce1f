// Tiled matrix multiplication for sizes that are multiples of TILE: load together, wait, compute, wait.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), all row-major; m, n and k are multiples of TILE.
// Launch: blocks of TILE x TILE threads; grid.x covers the columns of C, grid.y its rows.
// Seeds:  000 (tiled kernel), 001. Both lose underscores of __syncthreads(); 000 writes TILE_WIDTHH.
// New:    the sum over p is cut into phases of TILE. In a phase the block copies one tile of A and one of B
//         to shared memory, one element of each per thread, and every element is then used TILE times.
//         A thread reads 2 * k / TILE elements from global memory instead of 2 * k.
// Next:   tiled.cu adds the guards that let m, n and k be anything.

#ifndef TILE
#define TILE 16
#endif
#ifndef ELEMENT
#define ELEMENT float
#endif

extern "C" __global__ void matmul_tiled_exact(const ELEMENT* A, const ELEMENT* B, ELEMENT* C, int m, int n, int k)
{
    __shared__ ELEMENT tile_A[TILE][TILE];
    __shared__ ELEMENT tile_B[TILE][TILE];

    // Find the element of C that belongs to this thread, and its place inside the tile.
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int column = blockIdx.x * TILE + tx;

    ELEMENT sum = 0;
    for (int phase = 0; phase < k / TILE; ++phase) {

        // Load together: each thread copies the element of A and of B at its own place in the tile.
        tile_A[ty][tx] = A[row * k + phase * TILE + tx];
        tile_B[ty][tx] = B[(phase * TILE + ty) * n + column];

        // Wait until both tiles are complete: a thread is about to read what others loaded.
        __syncthreads();

        // Compute on the tiles alone; global memory rests.
        for (int i = 0; i < TILE; ++i)
            sum += tile_A[ty][i] * tile_B[i][tx];

        // Wait until nobody reads these tiles any more: the next phase overwrites them.
        __syncthreads();
    }

    C[row * n + column] = sum;
}
