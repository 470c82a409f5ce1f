// Matrix multiplication, a thread per element: C (m, n) = A (m, k) * B (k, n); the grid covers C exactly.
// x runs along rows here, but the launch lets it run along columns.

extern "C" __global__ void matmul(const double* A, const double* B, double* C, int m, int n, int k)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;  // cause
    int j = threadIdx.y + blockIdx.y * blockDim.y;  // cause

    double sum = 0.0;
    for (int p = 0; p < k; p++)
        sum = sum
            + A[i * k + p]   // planted: out of bounds
            * B[p * n + j];
    C[i * n + j] = sum;
}
