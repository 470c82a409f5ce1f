#define TILE 16

// works for any M, K, N
__global__ void anySize(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float Asub[TILE][TILE];
    __shared__ float Bsub[TILE][TILE];
    int tRow = threadIdx.y;
    int tCol = threadIdx.x;
    int row = blockIdx.y * TILE + tRow;
    int col = blockIdx.x * TILE + tCol;

    float acc = 0.0f;
    int numTiles = K / TILE;
    for (int t = 0; t < numTiles; t++) {
        int aCol = TILE * t + tCol;
        int bRow = TILE * t + tRow;
        Asub[tRow][tCol] = row < M && aCol < K ? A[row * K + aCol] : 0.0f;
        Bsub[tRow][tCol] = bRow < K && col < N ? B[bRow * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE; k++) {
            acc += Asub[tRow][k] * Bsub[k][tCol];
        }
        __syncthreads();
    }

    if (row < M && col < N) {
        C[row * N + col] = acc;
    }
}
