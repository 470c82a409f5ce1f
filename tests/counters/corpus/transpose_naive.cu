// Transposition without shared memory: reads run along rows, writes along columns, one sector per element.
// source: rows x columns; target: columns x rows.

extern "C" __global__ void transpose_naive(const float* source, float* target, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) target[column * rows + row] = source[row * columns + column];
}
