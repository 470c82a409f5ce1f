// Tiled reduced matrix multiplication (RMM): the tiles in shared memory hold sums, not elements.
//
// Shapes: A (m, k) and B (k, n) give C (m/2, n/2), all row-major; m and n are even, k is anything.
//         C[i, j] = sum over p of (A[2i, p] + A[2i+1, p]) * (B[p, 2j] + B[p, 2j+1]).
// Launch: blocks of TILE x TILE threads; grid.x covers the columns of C, grid.y its rows.
// Seeds:  003 (section 4.3.3; its blockA and blockB are sums_A and sums_B here), guarded as in 000.
// New:    in a phase the block reads 2 TILE x TILE elements of A and adds them in pairs down the rows, and
//         TILE x 2 TILE of B and adds them in pairs along the columns. A thread loads 4 * k / TILE elements
//         instead of 4 * k, and each sum is formed once per block instead of once per thread.
// Next:   nothing: this is the last of the seeds' reduced multiplications.

#ifndef TILE
#define TILE 16
#endif
#ifndef ELEMENT
#define ELEMENT float
#endif

extern "C" __global__ void reduced_matmul_tiled(const ELEMENT* A, const ELEMENT* B, ELEMENT* C, int m, int n, int k)
{
    __shared__ ELEMENT sums_A[TILE][TILE];
    __shared__ ELEMENT sums_B[TILE][TILE];

    // Find the element of C that belongs to this thread, and its place inside the tile.
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int i = blockIdx.y * TILE + ty;
    int j = blockIdx.x * TILE + tx;

    ELEMENT sum = 0;
    for (int phase = 0; phase < (k + TILE - 1) / TILE; ++phase) {

        // Load and add two elements of A, one below the other; 0 where the tile reaches past the edge.
        int p = phase * TILE + tx;
        if (i < m / 2 && p < k)
            sums_A[ty][tx] = A[2 * i * k + p] + A[(2 * i + 1) * k + p];
        else
            sums_A[ty][tx] = 0;

        // Load and add two elements of B, one beside the other.
        p = phase * TILE + ty;
        if (p < k && j < n / 2)
            sums_B[ty][tx] = B[p * n + 2 * j] + B[p * n + 2 * j + 1];
        else
            sums_B[ty][tx] = 0;

        // Wait until all sums are there: a thread is about to read what others formed.
        __syncthreads();

        // Multiply the two tiles of sums as in matmul/tiled.cu.
        for (int q = 0; q < TILE; ++q)
            sum += sums_A[ty][q] * sums_B[q][tx];

        // Wait until nobody reads these sums any more: the next phase overwrites them.
        __syncthreads();
    }

    // Only a thread inside C has a result to store.
    if (i < m / 2 && j < n / 2)
        C[i * (n / 2) + j] = sum;
}
