// Matrix times vector, a row per warp: the lanes read neighboring elements and add by shuffles.
// A: m x n, x: n, y: m.

extern "C" __global__ void matvec_row_per_warp(const float* A, const float* x, float* y, int m, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int lane = threadIdx.x % warpSize;
    if (row >= m) return;

    float sum = 0.0f;
    for (int column = lane; column < n; column += warpSize) sum += A[row * n + column] * x[column];
    for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) y[row] = sum;
}
