// Version 3: 32x32 tile, block of 32x8 threads, every thread does 4 rows
// C[M][N] = A[M][K] * B[K][N]

#define TILE 32
#define ROWS 8
#define PER_THREAD (TILE / ROWS)

__global__ void matmul4(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int tx = threadIdx.x;           // 0..31
    int ty = threadIdx.y;           // 0..7
    int col = blockIdx.x * TILE + tx;
    int row0 = blockIdx.y * TILE + ty;

    float acc[PER_THREAD];

    for (int k0 = 0; k0 < K; k0 += TILE) {
        for (int i = 0; i < PER_THREAD; i++) {
            int lr = ty + i * ROWS;
            int gr = row0 + i * ROWS;
            As[lr][tx] = (gr < M && k0 + tx < K) ? A[gr * K + k0 + tx] : 0.0f;
            Bs[lr][tx] = (k0 + lr < K && col < N) ? B[(k0 + lr) * N + col] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < TILE; k++) {
            float b = Bs[k][tx];
            for (int i = 0; i < PER_THREAD; i++)
                acc[i] += As[ty + i * ROWS][k] * b;
        }
        __syncthreads();
    }

    for (int i = 0; i < PER_THREAD; i++) {
        int gr = row0 + i * ROWS;
        if (gr < M && col < N)
            C[gr * N + col] = acc[i];
    }
}

void launch_matmul4(const float *A, const float *B, float *C, int M, int K, int N)
{
    dim3 block(TILE, ROWS);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    matmul4<<<grid, block>>>(A, B, C, M, K, N);
}
