// C = A * B with A: m x k, B: k x n, C: m x n (row-major), arbitrary sizes
#include <cuda_runtime.h>

#define TILE_SIZE 16

__global__ void matmul_shared(const float* A, const float* B, float* C,
                              int m, int n, int k)
{
    __shared__ float tile_a[TILE_SIZE][TILE_SIZE];
    __shared__ float tile_b[TILE_SIZE][TILE_SIZE];

    int row = blockIdx.y * TILE_SIZE + threadIdx.y;
    int col = blockIdx.x * TILE_SIZE + threadIdx.x;
    float result = 0.0f;

    int n_tiles = (k + TILE_SIZE - 1) / TILE_SIZE;
    for (int t = 0; t < n_tiles; t++) {
        int a_col = t * TILE_SIZE + threadIdx.x;
        int b_row = t * TILE_SIZE + threadIdx.y;

        tile_a[threadIdx.y][threadIdx.x] = 0.0f;
        if (row < m && a_col < k) {
            tile_a[threadIdx.y][threadIdx.x] = A[row * k + a_col];
        }
        tile_b[threadIdx.y][threadIdx.x] = 0.0f;
        if (b_row < k && col < n) {
            tile_b[threadIdx.y][threadIdx.x] = B[b_row * n + col];
        }
        __syncthreads();

        for (int i = 0; i < TILE_SIZE; i++) {
            result += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        }
        __syncthreads();
    }

    C[row * n + col] = result;
}
