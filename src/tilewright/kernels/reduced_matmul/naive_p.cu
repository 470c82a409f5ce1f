// Reduced matrix multiplication (RMM) with fewer multiplications: add first, multiply once per p.
//
// Shapes: A (m, k) and B (k, n) give C (m/2, n/2), all row-major; m and n are even, k is anything.
//         C[i, j] = sum over p of (A[2i, p] + A[2i+1, p]) * (B[p, 2j] + B[p, 2j+1]).
// Launch: a line of blocks of 1024 threads, one thread per element of C.
// Seeds:  003 (section 4.3.2).
// New:    one multiplication per p in place of four. The loads stay: four for every p, 4 * k per thread.
// Next:   tiled.cu cuts the loads by TILE: the threads of a block share the sums they need.

#ifndef ELEMENT
#define ELEMENT float
#endif

extern "C" __global__ void reduced_matmul_naive_p(const ELEMENT* A, const ELEMENT* B, ELEMENT* C,
                                                  int m, int n, int k)
{
    // Number the threads of the grid in one line; the last block may have more threads than C has elements.
    int thread = blockIdx.x * 1024 + threadIdx.x;
    if (thread >= (m / 2) * (n / 2))
        return;

    // Find the element of C that belongs to this thread, counting row by row.
    int i = thread / (n / 2);
    int j = thread % (n / 2);

    // Add the two elements of A and the two of B, then multiply the sums.
    ELEMENT sum = 0;
    for (int p = 0; p < k; ++p)
        sum += (A[2 * i * k + p] + A[(2 * i + 1) * k + p]) * (B[p * n + 2 * j] + B[p * n + 2 * j + 1]);

    C[thread] = sum;
}
