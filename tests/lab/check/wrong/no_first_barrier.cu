// Four rows of C for each thread, 8 apart: blocks of 32 x 8 make tiles of 32 x 32.
#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void mat_mul(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float sa[TILE_DIM][TILE_DIM];
    __shared__ float sb[TILE_DIM][TILE_DIM];
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row0 = blockIdx.y * TILE_DIM + threadIdx.y;
    float acc[TILE_DIM / BLOCK_ROWS] = {0.0f};
    for (int t = 0; t < (K + TILE_DIM - 1) / TILE_DIM; t++) {
        for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) {
            int r = row0 + j, k = t * TILE_DIM + threadIdx.x;
            sa[threadIdx.y + j][threadIdx.x] = (r < M && k < K) ? A[r * K + k] : 0.0f;
            k = t * TILE_DIM + threadIdx.y + j;
            sb[threadIdx.y + j][threadIdx.x] = (k < K && col < N) ? B[k * N + col] : 0.0f;
        }
        for (int j = 0; j < TILE_DIM / BLOCK_ROWS; j++)
            for (int k = 0; k < TILE_DIM; k++)
                acc[j] += sa[threadIdx.y + j * BLOCK_ROWS][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    for (int j = 0; j < TILE_DIM / BLOCK_ROWS; j++) {
        int r = row0 + j * BLOCK_ROWS;
        if (r < M && col < N)
            C[r * N + col] = acc[j];
    }
}
