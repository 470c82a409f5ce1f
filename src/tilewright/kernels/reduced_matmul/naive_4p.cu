// Reduced matrix multiplication (RMM), the baseline: one thread per element of C, four products per p.
//
// Shapes: A (m, k) and B (k, n) give C (m/2, n/2), all row-major; m and n are even, k is anything.
//         C[i, j] = sum over p of (A[2i, p] + A[2i+1, p]) * (B[p, 2j] + B[p, 2j+1]), multiplied out.
// Launch: a line of blocks of 1024 threads, one thread per element of C.
// Seeds:  003 (section 4.3.1). Its "N/1024 thread blocks" are (N/2)^2 / 1024.
// New:    both rows of A meet both columns of B: four loads and four multiplications for every p.
// Next:   naive_p.cu adds before it multiplies, so that one multiplication is left.

#ifndef ELEMENT
#define ELEMENT float
#endif

extern "C" __global__ void reduced_matmul_naive_4p(const ELEMENT* A, const ELEMENT* B, ELEMENT* C,
                                                   int m, int n, int k)
{
    // Number the threads of the grid in one line; the last block may have more threads than C has elements.
    int thread = blockIdx.x * 1024 + threadIdx.x;
    if (thread >= (m / 2) * (n / 2))
        return;

    // Find the element of C that belongs to this thread, counting row by row.
    int i = thread / (n / 2);
    int j = thread % (n / 2);

    // Multiply each of the two rows of A with each of the two columns of B.
    ELEMENT sum = 0;
    for (int p = 0; p < k; ++p)
        sum += A[2 * i * k + p] * B[p * n + 2 * j] + A[2 * i * k + p] * B[p * n + 2 * j + 1]
             + A[(2 * i + 1) * k + p] * B[p * n + 2 * j] + A[(2 * i + 1) * k + p] * B[p * n + 2 * j + 1];

    C[thread] = sum;
}
