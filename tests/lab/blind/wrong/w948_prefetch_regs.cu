#include <cuda_runtime.h>

// C = A * B. While a tile is used, each thread already holds its two elements of
// the next tile in registers.
// Launch: block 16 x 16, grid (ceil(n/16), ceil(m/16)).
#define TILE 16

__device__ __forceinline__ float take(const float* p, int r, int c, int nr, int nc)
{
    return (r < nr && c < nc) ? p[(size_t)r * nc + c] : 0.0f;
}

__global__ void matmul_prefetch(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float nextA = take(A, row, tx, m, k);
    float nextB = take(B, ty, col, k, n);
    float result = 0.0f;

    for (int base = 0; base < k; base += TILE) {
        tileA[ty][tx] = nextA;
        tileB[ty][tx] = nextB;
        __syncthreads();

        nextA = take(A, row, base + TILE + tx, m, k);
        nextB = take(B, base + TILE + ty, col, k, n);

        #pragma unroll
        for (int i = 0; i < TILE; i++)
            result += tileA[ty][i] * tileB[i][tx];
    }

    if (row < m && col < n)
        C[(size_t)row * n + col] = result;
}
