// C = A * B, A is rows x inner, B is inner x cols, any sizes.
// blocks of 16 x 16, grid ((cols + 15) / 16, (rows + 15) / 16)

__global__ void matmul(const int *A, const int *B, int *C, int rows, int inner, int cols)
{
    __shared__ int As[16][16];
    __shared__ int Bs[16][16];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty;
    int col = blockIdx.x * 16 + tx;
    int value = 0;
    int numTiles = (inner + 15) / 16;

    for (int t = 0; t < numTiles; ++t) {
        int ka = t * 16 + tx;
        int kb = t * 16 + ty;
        As[ty][tx] = (row < rows && ka < inner) ? A[row * inner + ka] : 0;
        Bs[ty][tx] = (kb < inner && col < cols) ? B[kb * cols + col] : 0;
        __syncthreads();

        // nothing to compute outside of C
        if (row >= rows || col >= cols)
            continue;

        for (int k = 0; k < 16; ++k)
            value += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }

    if (row < rows && col < cols)
        C[row * cols + col] = value;
}
