// The dot product in a single GPU thread: right, and as slow as a GPU can be.
//
// Shapes: A (k) and B (k) give C (1), the whole sum; any k.
// Launch: one block of one thread.
// Seeds:  004 (dotProduct.cu).
// New:    the loop of sequential.c runs on the GPU; one lane of one warp works, all others are idle.
// Next:   tiled.cu spreads the products over many threads and adds them up in shared memory.

#ifndef ELEMENT
#define ELEMENT float
#endif

extern "C" __global__ void dot_single_thread(const ELEMENT* A, const ELEMENT* B, ELEMENT* C, int k)
{
    // Walk along both vectors together.
    ELEMENT sum = 0;
    for (int p = 0; p < k; ++p)
        sum += A[p] * B[p];

    C[0] = sum;
}
