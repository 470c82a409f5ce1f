// Exercise 7: a reduced product. C[i][j] is the sum over p of (A[2i][p] + A[2i+1][p]) * (B[p][2j] + B[p][2j+1]).
//
// tilewright check 7-pairs.cu --operation reduced_matmul --args A,B,C,rows,cols,inner --block 16,16
//     --grid "ceil(cols/2/16),ceil(rows/2/16)" --points ../rubric.toml
//
// The tiles are to hold sums of pairs; here they hold one number of each pair.
//
// A is m x k, B is k x n, C is m/2 x n/2, row after row; m and n are even. Blocks have TILE x TILE threads.

#define TILE 16

__global__ void reduced(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float sums_A[TILE][TILE];
    __shared__ float sums_B[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TILE + ty;
    int j = blockIdx.x * TILE + tx;

    float sum = 0;
    for (int phase = 0; phase < (k + TILE - 1) / TILE; ++phase) {
        int a = phase * TILE + tx, b = phase * TILE + ty;
        sums_A[ty][tx] = i < m / 2 && a < k ? A[2 * i * k + a] : 0;
        sums_B[ty][tx] = b < k && j < n / 2 ? B[b * n + 2 * j] : 0;
        __syncthreads();
        for (int p = 0; p < TILE; ++p)
            sum += sums_A[ty][p] * sums_B[p][tx];
        __syncthreads();
    }
    if (i < m / 2 && j < n / 2)
        C[i * (n / 2) + j] = sum;
}
