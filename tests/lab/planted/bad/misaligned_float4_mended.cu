// Matrix multiplication, a thread per element, four elements of A at a time; k is a multiple of 2.
// C (m, n) = A (m, k) * B (k, n).

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < m && col < n) {
        float sum = 0;
        int p = 0;
        for (; p + 2 <= k; p += 2) {
            float2 a = *reinterpret_cast<const float2*>(&A[row * k + p]);
            sum += a.x * B[p * n + col] + a.y * B[(p + 1) * n + col];
        }
        for (; p < k; ++p)
            sum += A[row * k + p] * B[p * n + col];
        C[row * n + col] = sum;
    }
}
