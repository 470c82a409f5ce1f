// Tiled matrix multiplication in which functions load and multiply; any sizes.
// Style: __device__ helpers, inlined and called, with pointers to shared memory as arguments.

#define TILE 16

struct Matrix {
    const float* data;
    int rows, columns;
};

__device__ __forceinline__ float element_or_zero(Matrix matrix, int row, int column)
{
    bool inside = row < matrix.rows && column < matrix.columns;
    return inside ? matrix.data[row * matrix.columns + column] : 0;
}

__device__ __noinline__ float product_of_tiles(const float* row, const float* column)
{
    float sum = 0;
    for (int i = 0; i < TILE; ++i)
        sum += row[i] * column[i * TILE];
    return sum;
}

extern "C" __global__ void matmul(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float sum = 0;
    for (int t = 0; t < k; t += TILE) {
        As[ty][tx] = element_or_zero({A, m, k}, row, t + tx);
        Bs[ty][tx] = element_or_zero({B, k, n}, t + ty, col);
        __syncthreads();
        sum += product_of_tiles(As[ty], &Bs[0][tx]);
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}
