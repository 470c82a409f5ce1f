// The tiled dot product: every block adds up its own products in shared memory, as a tree.
//
// Shapes: A (k) and B (k) give C (blocks), one partial sum per block, which the host adds; any k.
// Launch: a line of blocks of TILE threads, ceil(k / TILE) of them; TILE is a power of two.
// Seeds:  004 (tileddotProduct.cu).
// New:    all threads multiply at once. Then half of the threads add the sums of the other half, then a
//         quarter, and so on: log2(TILE) steps with a barrier after each.
// Next:   nothing: this is the last of the seeds' dot products.

#ifndef TILE
#define TILE 1024
#endif
#ifndef ELEMENT
#define ELEMENT float
#endif

extern "C" __global__ void dot_tiled(const ELEMENT* A, const ELEMENT* B, ELEMENT* C, int k)
{
    __shared__ ELEMENT sums[TILE];

    // Number the threads of the grid in one line.
    int tx = threadIdx.x;
    int thread = blockIdx.x * TILE + tx;

    // Each thread sums products of its own, a whole grid apart: neighbors read neighboring elements.
    ELEMENT sum = 0;
    int distance = gridDim.x * TILE;
    for (int p = thread; p < k; p += distance)
        sum += A[p] * B[p];

    // Share the sums, and wait until all are there.
    sums[tx] = sum;
    __syncthreads();

    // Fold the upper half onto the lower half until one sum is left. The barrier stands outside the `if`,
    // because every thread of the block must reach it.
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tx < stride)
            sums[tx] += sums[tx + stride];
        __syncthreads();
    }

    // One thread stores the block's partial sum.
    if (tx == 0)
        C[blockIdx.x] = sums[0];
}
