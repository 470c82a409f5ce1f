#include <stdio.h>
#include <stdlib.h>
#define N 64
#define TILE_DIM 16
__global__ void naive(int *A, int *B, int *C, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        int sum = 0;
        for (int i = 0; i < n; i++) sum += A[row * n + i] * B[i * n + col];
        C[row * n + col] = sum;
    }
}
__global__ void tiled(int *A, int *B, int *C, int n)
{
    __shared__ int sA[TILE_DIM][TILE_DIM], sB[TILE_DIM][TILE_DIM];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE_DIM + ty, col = blockIdx.x * TILE_DIM + tx, sum = 0;
    for (int t = 0; t < n / TILE_DIM; t++) {
        sA[ty][tx] = A[row * n + t * TILE_DIM + tx];
        sB[ty][tx] = B[(t * TILE_DIM + ty) * n + col];
        __syncthreads();
        for (int i = 0; i < TILE_DIM; i++) sum += sA[ty][i] * sB[i][tx];
        __syncthreads();
    }
    C[row * n + col] = sum;
}
__global__ void init(int *A, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) A[i] = i % 7; }
int main()
{
    int *dA, *dB, *dC;
    cudaMalloc(&dA, N * N * sizeof(int)); cudaMalloc(&dB, N * N * sizeof(int)); cudaMalloc(&dC, N * N * sizeof(int));
    init<<<(N * N + 255) / 256, 256>>>(dA, N * N);
    init<<<(N * N + 255) / 256, 256>>>(dB, N * N);
    dim3 t(TILE_DIM, TILE_DIM), g((N + TILE_DIM - 1) / TILE_DIM, (N + TILE_DIM - 1) / TILE_DIM);
    naive<<<g, t>>>(dA, dB, dC, N);
    tiled<<<g, t>>>(dA, dB, dC, N);
}
