// Exercise 6, solved: with one column more, a column of the tile lies in 32 banks.
//
// tilewright check 6-banks.cu --operation matmul --args A,B,C,rows,cols,inner --block 32,32
//     --grid "ceil(cols/32),ceil(rows/32)" --points ../rubric.toml
//
// A is m x k, B is k x n, C is m x n, row after row. Blocks have TILE x TILE threads.

#define TILE 32

__global__ void product(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float tile_A[TILE][TILE + 1]; // [column of the tile][row of the tile]
    __shared__ float tile_B[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float sum = 0;
    for (int phase = 0; phase < (k + TILE - 1) / TILE; ++phase) {
        int a = phase * TILE + tx, b = phase * TILE + ty;
        tile_A[tx][ty] = row < m && a < k ? A[row * k + a] : 0;
        tile_B[ty][tx] = b < k && col < n ? B[b * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += tile_A[i][ty] * tile_B[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}
