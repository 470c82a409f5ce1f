// Assignment 3 - tiled matrix multiplication
// C = A * B, all matrices are n x n, row major
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define TILE_WIDTH 16

__global__ void matMulTiled(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Bs[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TILE_WIDTH + ty;
    int col = blockIdx.x * TILE_WIDTH + tx;

    float value = 0.0f;
    int numTiles = (n + TILE_WIDTH - 1) / TILE_WIDTH;

    for (int t = 0; t < numTiles; ++t) {
        int aCol = t * TILE_WIDTH + tx;
        int bRow = t * TILE_WIDTH + ty;

        As[ty][tx] = (row < n && aCol < n) ? A[row * n + aCol] : 0.0f;
        Bs[ty][tx] = (bRow < n && col < n) ? B[bRow * n + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            value += As[ty][k] * Bs[k][tx];
    }

    if (row < n && col < n)
        C[row * n + col] = value;
}

int main(int argc, char **argv)
{
    int n = (argc > 1) ? atoi(argv[1]) : 500;
    size_t bytes = (size_t)n * n * sizeof(float);

    float *hA = (float *)malloc(bytes);
    float *hB = (float *)malloc(bytes);
    float *hC = (float *)malloc(bytes);
    for (int i = 0; i < n * n; ++i) {
        hA[i] = (float)(rand() % 10);
        hB[i] = (float)(rand() % 10);
    }

    float *dA, *dB, *dC;
    cudaMalloc(&dA, bytes);
    cudaMalloc(&dB, bytes);
    cudaMalloc(&dC, bytes);
    cudaMemcpy(dA, hA, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, bytes, cudaMemcpyHostToDevice);

    dim3 block(TILE_WIDTH, TILE_WIDTH);
    dim3 grid((n + TILE_WIDTH - 1) / TILE_WIDTH, (n + TILE_WIDTH - 1) / TILE_WIDTH);
    matMulTiled<<<grid, block>>>(dA, dB, dC, n);
    cudaMemcpy(hC, dC, bytes, cudaMemcpyDeviceToHost);

    int errors = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float ref = 0.0f;
            for (int k = 0; k < n; ++k)
                ref += hA[i * n + k] * hB[k * n + j];
            if (fabsf(ref - hC[i * n + j]) > 1e-2f)
                ++errors;
        }
    printf("n = %d, errors = %d\n", n, errors);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
