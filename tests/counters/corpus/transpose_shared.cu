// Transposition through a 32 x 33 tile: both sides run along rows, and the odd width avoids bank conflicts.
// Blocks of 32 x 8 threads, four rows per thread. source: rows x columns; target: columns x rows.

#define TILE 32
#define STEP 8

extern "C" __global__ void transpose_shared(const float* source, float* target, int rows, int columns)
{
    __shared__ float tile[TILE][TILE + 1];

    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    for (int y = 0; y < TILE; y += STEP)
        if (row + y < rows && column < columns)
            tile[threadIdx.y + y][threadIdx.x] = source[(row + y) * columns + column];
    __syncthreads();

    column = blockIdx.y * TILE + threadIdx.x;
    row = blockIdx.x * TILE + threadIdx.y;
    for (int y = 0; y < TILE; y += STEP)
        if (row + y < columns && column < rows)
            target[(row + y) * rows + column] = tile[threadIdx.x][threadIdx.y + y];
}
