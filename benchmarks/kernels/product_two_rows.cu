// A product, two rows of C per thread and blocks of 512 in a line: each element of B that is read serves both rows.
// A: m x k with an even m, B: k x n, C: m x n.

extern "C" __global__ void product_two_rows(const double* A, const double* B, double* C, int m, int n, int k)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= m / 2 * n) return;
    int row = 2 * (thread / n), column = thread % n;
    double first = 0.0, second = 0.0;
    for (int p = 0; p < k; ++p) {
        double b = B[p * n + column];
        first += A[row * k + p] * b;
        second += A[(row + 1) * k + p] * b;
    }
    C[row * n + column] = first;
    C[(row + 1) * n + column] = second;
}
