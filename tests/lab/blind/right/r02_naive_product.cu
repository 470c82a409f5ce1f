/*
 * Task 1 - Naive matrix multiplication.
 *
 * Each thread calculates one element of the result. The matrices are stored
 * row by row. N rows of A, M columns of B, P is the shared dimension.
 *
 * The framework starts it with blocks of 16 x 16 threads; x runs over the
 * columns of C, y over the rows, and there are enough blocks (rounded up)
 * to cover the whole result.
 */
__global__ void mm_naive(float* C, const float* A, const float* B, int N, int P, int M)
{
    int col = threadIdx.x + blockDim.x * blockIdx.x;
    int row = threadIdx.y + blockDim.y * blockIdx.y;

    // TODO (done): check borders
    if (row >= N) return;
    if (col >= M) return;

    float acc = 0.f;
    for (int p = 0; p < P; ++p)
    {
        acc += A[row * P + p] * B[p * M + col];
    }
    C[row * M + col] = acc;
}
