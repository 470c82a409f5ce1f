/* Each block of 32x8 threads computes a 32x32 piece of C, so every thread does
   4 rows of one column. Works for any M, N, K.   A: MxK, B: KxN, C: MxN */
#define TILE_DIM 32
#define BLOCK_ROWS 8
#define RPT (TILE_DIM / BLOCK_ROWS)

__global__ void mm_rows(float *C, const float *A, const float *B, int M, int N, int K)
{
    __shared__ float As[TILE_DIM][TILE_DIM];
    __shared__ float Bs[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row0 = blockIdx.y * TILE_DIM + threadIdx.y;

    float acc[RPT];
    for (int r = 0; r < RPT; r++) acc[r] = 0.f;

    for (int t = 0; t < (K + TILE_DIM - 1) / TILE_DIM; t++) {
        int kbase = t * TILE_DIM;
        for (int r = 0; r < TILE_DIM; r += BLOCK_ROWS) {
            int ar = row0 + r, ac = kbase + threadIdx.x;
            int br = kbase + threadIdx.y + r;
            As[threadIdx.y + r][threadIdx.x] = (ar < M && ac < K) ? A[ar * K + ac] : 0.f;
            Bs[threadIdx.y + r][threadIdx.x] = (br < K && col < N) ? B[br * N + col] : 0.f;
        }
        __syncthreads();

        for (int k = 0; k < TILE_DIM; k++) {
            float b = Bs[k][threadIdx.x];
#pragma unroll
            for (int r = 0; r < RPT; r++)
                acc[r] += As[threadIdx.y + r * BLOCK_ROWS][k] * b;
        }
        __syncthreads();
    }

    if (col < N) {
        for (int r = 0; r < RPT; r++) {
            int row = row0 + r * BLOCK_ROWS;
            if (row < M) C[row * N + col] = acc[r];
        }
    }
}

void launch_mm_rows(float *d_C, const float *d_A, const float *d_B, int M, int N, int K)
{
    dim3 block(TILE_DIM, BLOCK_ROWS);
    dim3 grid((N + TILE_DIM - 1) / TILE_DIM, (M + TILE_DIM - 1) / TILE_DIM);
    mm_rows<<<grid, block>>>(d_C, d_A, d_B, M, N, K);
}
