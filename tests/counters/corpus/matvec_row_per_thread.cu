// Matrix times vector, a row per thread: neighboring threads read a whole row apart, so nothing is coalesced.
// A: m x n, x: n, y: m.

extern "C" __global__ void matvec_row_per_thread(const float* A, const float* x, float* y, int m, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m) return;
    float sum = 0.0f;
    for (int column = 0; column < n; ++column) sum += A[row * n + column] * x[column];
    y[row] = sum;
}
