// Batched matrix product: C[b] = A[b] * B[b] for b = 0 .. batchCount-1
// A: batchCount x M x K, B: batchCount x K x N, C: batchCount x M x N, packed row-major.
// M, N and K need not be equal nor multiples of the tile.
#include <cuda_runtime.h>

#define TILE_DIM 16

__global__ void batchedMatMul(const float *A, const float *B, float *C,
                              int M, int N, int K)
{
    __shared__ float tileA[TILE_DIM][TILE_DIM];
    __shared__ float tileB[TILE_DIM][TILE_DIM];

    size_t batch = blockIdx.z;
    const float *Ab = A + batch * M * K;
    const float *Bb = B + batch * M * K;
    float *Cb = C + batch * M * N;

    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    float dotp = 0.0f;

    int numTiles = (K + TILE_DIM - 1) / TILE_DIM;
    for (int t = 0; t < numTiles; t++) {
        int kc = t * TILE_DIM + threadIdx.x;
        int kr = t * TILE_DIM + threadIdx.y;
        tileA[threadIdx.y][threadIdx.x] = (row < M && kc < K) ? Ab[row * K + kc] : 0.0f;
        tileB[threadIdx.y][threadIdx.x] = (kr < K && col < N) ? Bb[kr * N + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE_DIM; k++)
            dotp = fmaf(tileA[threadIdx.y][k], tileB[k][threadIdx.x], dotp);
        __syncthreads();
    }

    if (row < M && col < N)
        Cb[row * N + col] = dotp;
}

void batchedMatMulLaunch(const float *A, const float *B, float *C,
                         int M, int N, int K, int batchCount)
{
    dim3 block(TILE_DIM, TILE_DIM, 1);
    dim3 grid((N + TILE_DIM - 1) / TILE_DIM, (M + TILE_DIM - 1) / TILE_DIM, batchCount);
    batchedMatMul<<<grid, block>>>(A, B, C, M, N, K);
}
