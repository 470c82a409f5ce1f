// The transpose of a matrix times a vector, a column per thread: neighboring threads read neighboring elements of a row.
// A: m x n, x: m, y: n.

extern "C" __global__ void matvec_columns(const float* A, const float* x, float* y, int m, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n) return;
    float sum = 0.0f;
    for (int row = 0; row < m; ++row) sum += A[row * n + column] * x[row];
    y[column] = sum;
}
