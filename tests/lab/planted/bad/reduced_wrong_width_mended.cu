// Reduced matrix multiplication, a thread per element: C (m/2, n/2), C[i, j] = sum over p of
// (A[2i, p] + A[2i+1, p]) * (B[p, 2j] + B[p, 2j+1]); m and n are even.

extern "C" __global__ void reduced_matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    int i = e / (n / 2);
    int j = e % (n / 2);

    if (i < m / 2) {
        float sum = 0;
        for (int p = 0; p < k; ++p)
            sum += (A[2 * i * k + p] + A[(2 * i + 1) * k + p]) * (B[p * n + 2 * j] + B[p * n + 2 * j + 1]);
        C[i * (n / 2) + j] = sum;
    }
}
