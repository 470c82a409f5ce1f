__global__ void pool_2x2(const float *full, float *pooled, int m, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    const float *upper = full + 4 * row * n + 2 * col, *lower = upper + 2 * n;
    pooled[row * n + col] = upper[0] + upper[1] + lower[0] + lower[1];
}
