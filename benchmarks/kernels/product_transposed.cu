// A times the transpose of B, a thread per element: neighboring threads read neighboring rows of B, a sector each.
// A: m x k, B: n x k, C: m x n.

extern "C" __global__ void product_transposed(const float* A, const float* B, float* C, int m, int n, int k)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int p = 0; p < k; ++p) sum += A[row * k + p] * B[column * k + p];
    C[row * n + column] = sum;
}
