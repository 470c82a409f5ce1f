// Transpose of an n x m matrix, a thread per element; any sizes.

extern "C" __global__ void transpose(const float* in, float* out, int n, int m)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < m)
        out[column * n + row] = in[row * m + column];
}
