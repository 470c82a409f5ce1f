// Exercise 2, solved: in B the phase moves down, so threadIdx.y counts the rows of its tile.
//
// tilewright check 2-tiles.cu --operation matmul --args A,B,C,rows,cols,inner --block 16,16
//     --grid "ceil(cols/16),ceil(rows/16)" --points ../rubric.toml
//
// A is m x k, B is k x n, C is m x n, row after row. Blocks have TILE x TILE threads.

#define TILE 16

__global__ void product(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float tile_A[TILE][TILE];
    __shared__ float tile_B[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float sum = 0;
    for (int phase = 0; phase < (k + TILE - 1) / TILE; ++phase) {
        int a = phase * TILE + tx;
        tile_A[ty][tx] = row < m && a < k ? A[row * k + a] : 0;
        int b = phase * TILE + ty;
        tile_B[ty][tx] = b < k && col < n ? B[b * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += tile_A[ty][i] * tile_B[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        C[row * n + col] = sum;
}
