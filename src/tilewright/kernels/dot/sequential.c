// The dot product in one thread of the host: the loop that every kernel here must agree with.
//
// Shapes: A (k) and B (k) give C (1). C[0] = sum over p of A[p] * B[p].
// Seeds:  004 (its dotProduct.cu, as plain C).
// New:    nothing runs in parallel: 2 * k elements are read, one after another.
// Next:   single_thread.cu moves the same loop to the GPU, still in one thread.

#ifndef ELEMENT
#define ELEMENT float
#endif

void dot_sequential(const ELEMENT* A, const ELEMENT* B, ELEMENT* C, int k)
{
    // Walk along both vectors together.
    ELEMENT sum = 0;
    for (int p = 0; p < k; ++p)
        sum += A[p] * B[p];

    C[0] = sum;
}
