// Transpose of an n x n matrix in place.

extern "C" __global__ void transpose(float* a, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < row) {
        float upper = a[row * n + column];
        float lower = a[column * n + row];
        a[row * n + column] = lower;
        a[column * n + row] = upper;
    }
}
