// Matrix multiplication in one thread: the triple loop that every kernel here must agree with.
//
// Shapes: A (m, k) times B (k, n) gives C (m, n), all row-major.
//         C[row, column] = sum over p of A[row, p] * B[p, column].
// Seeds:  000 (sequential C code), 003 (the "un-optimized single threaded code" of its table).
// New:    nothing runs in parallel. Each of the m * n results reads k elements of A and k of B.
// Next:   naive.cu gives each (row, column) a thread of its own, so the two outer loops disappear.

#ifndef ELEMENT
#define ELEMENT float
#endif

void matmul_sequential(const ELEMENT* A, const ELEMENT* B, ELEMENT* C, int m, int n, int k)
{
    // Visit the elements of C row by row.
    for (int row = 0; row < m; ++row) {
        for (int column = 0; column < n; ++column) {

            // Walk along A's row and down B's column together.
            ELEMENT sum = 0;
            for (int p = 0; p < k; ++p)
                sum += A[row * k + p] * B[p * n + column];

            C[row * n + column] = sum;
        }
    }
}
