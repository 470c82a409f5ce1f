// Tiled matrix multiplication with the second barrier inside the inner loop: right, but it waits too often.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), all row-major; any m, n, k.
// Launch: blocks of TILE x TILE threads; grid.x covers the columns of C, grid.y its rows.
// Seeds:  002 (the blog's kernel, line 14). It lacks `void` and the shared arrays' type, and fixes the tile at 2
//         and the sizes at multiples of it; here it has them, and the guards of tiled.cu.
// New:    1 + TILE barriers in a phase where tiled.cu has 2. Only the last of them protects the tiles; the
//         others make every thread wait for all threads after every single product.
// Next:   nothing: this is the last of the seeds' matrix multiplications. Compare its time with tiled.cu's.

#ifndef TILE
#define TILE 16
#endif
#ifndef ELEMENT
#define ELEMENT float
#endif

extern "C" __global__ void matmul_tiled_inner_barrier(const ELEMENT* A, const ELEMENT* B, ELEMENT* C,
                                                      int m, int n, int k)
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

        // Compute on the tiles, and wait after every product. All threads make the same TILE turns, so each
        // barrier is met by the whole block.
        for (int i = 0; i < TILE; ++i) {
            sum += tile_A[ty][i] * tile_B[i][tx];
            __syncthreads();
        }
    }

    // Only a thread inside C has a result to store.
    if (row < m && column < n)
        C[row * n + column] = sum;
}
