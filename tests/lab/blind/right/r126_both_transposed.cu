// C = A^T * B^T for int matrices.
//   A is stored K x M, B is stored N x K, C is M x N (all row major).
// One 16 x 16 block per 16 x 16 tile of C, blockIdx.x runs over the columns.

#define TS 16

__global__ void atbt_int(const int *A, const int *B, int *C, int M, int N, int K)
{
    __shared__ int a_tile[TS][TS];       // [k][row of C]
    __shared__ int b_tile[TS][TS + 1];   // [column of C][k]

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row0 = blockIdx.y * TS;
    int col0 = blockIdx.x * TS;
    int total = 0;

    for (int k0 = 0; k0 < K; k0 += TS)
    {
        a_tile[ty][tx] = (k0 + ty < K && row0 + tx < M) ? A[(k0 + ty) * M + row0 + tx] : 0;
        b_tile[ty][tx] = (col0 + ty < N && k0 + tx < K) ? B[(col0 + ty) * K + k0 + tx] : 0;
        __syncthreads();

        for (int k = 0; k < TS; k++)
            total += a_tile[k][ty] * b_tile[tx][k];
        __syncthreads();
    }

    if (row0 + ty < M && col0 + tx < N)
        C[(row0 + ty) * N + col0 + tx] = total;
}
