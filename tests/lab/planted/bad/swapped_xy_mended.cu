// Matrix multiplication, a thread per element: C (m, n) = A (m, k) * B (k, n); the grid covers C exactly.

extern "C" __global__ void matmul(const double* A, const double* B, double* C, int m, int n, int k)
{
    int i = threadIdx.y + blockIdx.y * blockDim.y;
    int j = threadIdx.x + blockIdx.x * blockDim.x;

    double sum = 0.0;
    for (int p = 0; p < k; p++)
        sum = sum
            + A[i * k + p]
            * B[p * n + j];
    C[i * n + j] = sum;
}
