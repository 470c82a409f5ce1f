// Matrix multiplication, a thread per element: C (m, n) = A (m, k) * B (k, n); any sizes.

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < m && col < n) {
        float sum = 0;
        for (int p = 0; p < k; ++p)
            sum += A[row * k + p] * B[p * n + col];
        C[row * n + col] = sum;
    }
}
