#include <cuda_runtime.h>

#define TILE 8

// Reduced matrix multiplication with tiles.
// matA and matB have N x N elements, matC N/2 x N/2, N is a multiple of 16.
__global__ void reducedTiled(const float *matA, const float *matB, float *matC, int N)
{
    __shared__ float blockA[TILE][TILE];
    __shared__ float blockB[TILE][TILE];

    const int ty = threadIdx.y, tx = threadIdx.x;
    const int rowC = blockIdx.y * TILE + ty;
    const int colC = blockIdx.x * TILE + tx;

    // the row pair and the column pair of this thread
    const float *rows = matA + 2 * rowC * N;
    const float *cols = matB + 2 * colC;

    float sum = 0.0f;
    for (int it = 0; it < N; it += TILE) {
        blockA[ty][tx] = rows[it + tx] + rows[N + it + tx];
        blockB[ty][tx] = cols[(it + ty) * N] + cols[(it + ty) * N + 1];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += blockA[ty][k] * blockB[k][tx];
        __syncthreads();
    }
    matC[rowC * N + colC] = sum;
}

void launchReduced(const float *dA, const float *dB, float *dC, int N)
{
    dim3 threads(TILE, TILE);
    dim3 blocks(N / 2 / TILE, N / 2 / TILE);
    reducedTiled<<<blocks, threads>>>(dA, dB, dC, N);
}
