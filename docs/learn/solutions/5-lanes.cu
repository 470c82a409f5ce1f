// Exercise 5, solved: neighbouring lanes differ in threadIdx.x, so that must be the column.
//
// tilewright check 5-lanes.cu --operation matmul --args A,B,C,rows,cols,inner --block 16,16
//     --grid "ceil(cols/16),ceil(rows/16)" --points ../rubric.toml
//
// A is m x k, B is k x n, C is m x n, row after row. Blocks have 16 x 16 threads.

__global__ void product(const float* A, const float* B, float* C, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n)
        return;

    float sum = 0;
    for (int i = 0; i < k; ++i)
        sum += A[row * k + i] * B[i * n + col];
    C[row * n + col] = sum;
}
