// Matrix multiplication, a thread per element, four elements of A at a time; k is a multiple of 2.
// C (m, n) = A (m, k) * B (k, n).
// A row of A starts at a multiple of 16 bytes only if k is a multiple of 4.

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < m && col < n) {
        float sum = 0;
        int p = 0;
        for (; p + 4 <= k; p += 4) {
            float4 a = *reinterpret_cast<const float4*>(&A[row * k + p]);  // planted: misaligned
            sum += a.x * B[p * n + col] + a.y * B[(p + 1) * n + col];
            sum += a.z * B[(p + 2) * n + col] + a.w * B[(p + 3) * n + col];
        }
        for (; p < k; ++p)
            sum += A[row * k + p] * B[p * n + col];
        C[row * n + col] = sum;
    }
}
