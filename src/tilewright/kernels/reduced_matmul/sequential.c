// Reduced matrix multiplication (RMM) in one thread: sum pairs of rows and of columns, then multiply.
//
// Shapes: A (m, k) and B (k, n) give C (m/2, n/2), all row-major; m and n are even.
//         C[i, j] = sum over p of (A[2i, p] + A[2i+1, p]) * (B[p, 2j] + B[p, 2j+1]).
// Seeds:  003 (the "un-optimized single threaded code" of table 4.2, whose text the thesis does not print).
// New:    nothing runs in parallel. Each of the m/2 * n/2 results reads 2 * k elements of A and 2 * k of B.
// Next:   naive_4p.cu gives each (i, j) a thread, and multiplies out the two parentheses.

#ifndef ELEMENT
#define ELEMENT float
#endif

void reduced_matmul_sequential(const ELEMENT* A, const ELEMENT* B, ELEMENT* C, int m, int n, int k)
{
    // Visit the elements of C row by row.
    for (int i = 0; i < m / 2; ++i) {
        for (int j = 0; j < n / 2; ++j) {

            // Walk along two rows of A and down two columns of B together.
            ELEMENT sum = 0;
            for (int p = 0; p < k; ++p)
                sum += (A[2 * i * k + p] + A[(2 * i + 1) * k + p]) * (B[p * n + 2 * j] + B[p * n + 2 * j + 1]);

            C[i * (n / 2) + j] = sum;
        }
    }
}
