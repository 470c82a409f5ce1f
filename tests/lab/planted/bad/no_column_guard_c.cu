// Matrix multiplication, a thread per element: C (m, n) = A (m, k) * B (k, n); any sizes.
// A thread right of C's last column writes into the next row, where another thread writes too.

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    float sum = 0;
    if (row < m && col < n)
        for (int p = 0; p < k; ++p)
            sum += A[row * k + p] * B[p * n + col];

    if (row < m)
        C[row * n + col] = sum;  // planted: race, out of bounds
}
