// 16 x 16 threads, every thread computes COLS = 4 elements of a row, i.e. a block covers 16 x 64 of C.
#define TILE 16
#define COLS 4

__global__ void multiColumn(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE * COLS];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int colStart = blockIdx.x * TILE * COLS + tx;

    float acc[COLS];
    for (int c = 0; c < COLS; ++c)
        acc[c] = 0.0f;

    for (int ph = 0; ph < (K + TILE - 1) / TILE; ++ph) {
        int ka = ph * TILE + tx;
        int kb = ph * TILE + ty;

        if (row < M && ka < K)
            As[ty][tx] = A[row * K + ka];
        for (int c = 0; c < COLS; ++c) {
            int col = colStart + c * TILE;
            if (kb < K && col < N)
                Bs[ty][tx + c * TILE] = B[kb * N + col];
        }
        __syncthreads();

        for (int k = 0; k < TILE; ++k)
            for (int c = 0; c < COLS; ++c)
                acc[c] += As[ty][k] * Bs[k][tx + c * TILE];
        __syncthreads();
    }

    for (int c = 0; c < COLS; ++c) {
        int col = colStart + c * TILE;
        if (row < M && col < N)
            C[row * N + col] = acc[c];
    }
}
