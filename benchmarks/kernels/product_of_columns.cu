// The transpose of A times A, a thread per element: both factors are columns, read row by row.
// A: k x n, C: n x n.

extern "C" __global__ void product_of_columns(const float* A, float* C, int n, int k)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0.0f;
    for (int p = 0; p < k; ++p) sum += A[p * n + row] * A[p * n + column];
    C[row * n + column] = sum;
}
