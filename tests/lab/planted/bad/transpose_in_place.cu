// Transpose of an n x n matrix in place.
// Every pair is swapped twice, by two threads at the same time.

extern "C" __global__ void transpose(float* a, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < n) {
        float upper = a[row * n + column];   // also: race
        float lower = a[column * n + row];   // also: race
        a[row * n + column] = lower;         // planted: race
        a[column * n + row] = upper;         // planted: race
    }
}
