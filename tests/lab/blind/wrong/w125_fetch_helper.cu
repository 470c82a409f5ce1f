// Integer matrix product for arbitrary sizes.
// block (TILE, TILE), grid (ceil(colsB / TILE), ceil(rowsA / TILE))

#define TILE 16

// copies one element of the matrix into the tile
__device__ void fetch(int *slot, const int *mat, int r, int c, int rows, int cols)
{
    if (r < rows && c < cols)
        *slot = mat[r * cols + c];
}

__global__ void multiply_int(const int *A, const int *B, int *C,
                             int rowsA, int colsA, int colsB)
{
    __shared__ int a[TILE][TILE];
    __shared__ int b[TILE][TILE];

    int r = blockIdx.y * TILE + threadIdx.y;
    int c = blockIdx.x * TILE + threadIdx.x;
    int sum = 0;

    for (int k0 = 0; k0 < colsA; k0 += TILE) {
        fetch(&a[threadIdx.y][threadIdx.x], A, r, k0 + threadIdx.x, rowsA, colsA);
        fetch(&b[threadIdx.y][threadIdx.x], B, k0 + threadIdx.y, c, colsA, colsB);
        __syncthreads();

        for (int k = 0; k < TILE; k++)
            sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }

    if (r < rowsA && c < colsB)
        C[r * colsB + c] = sum;
}
