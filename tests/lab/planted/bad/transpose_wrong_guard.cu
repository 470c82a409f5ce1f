// Transpose of an n x m matrix, a thread per element; any sizes.
// The guard holds the row against the number of columns and the column against the number of rows.

extern "C" __global__ void transpose(const float* in, float* out, int n, int m)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && column < n)           // cause
        out[column * n + row] = in[row * m + column];  // planted: out of bounds
}
