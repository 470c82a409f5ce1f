// Thread coarsening: every block computes COARSE tiles of C that lie side by side.
#include <cuda_runtime.h>

#define TILE 16
#define COARSE 4

__global__ void coarse_mm(const float* A, const float* B, float* C, int m, int k, int n)
{
    __shared__ float sA[TILE][TILE];
    __shared__ float sB[TILE][TILE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int firstCol = blockIdx.x * TILE + tx;

    float sums[COARSE] = {0.0f};

    for (int k0 = 0; k0 < k; k0 += TILE) {
        sA[ty][tx] = (row < m && k0 + tx < k) ? A[row * k + k0 + tx] : 0.0f;

        for (int c = 0; c < COARSE; ++c) {
            const int col = firstCol + c * TILE;
            sB[ty][tx] = (k0 + ty < k && col < n) ? B[(k0 + ty) * n + col] : 0.0f;
            __syncthreads();
            for (int i = 0; i < TILE; ++i)
                sums[c] += sA[ty][i] * sB[i][tx];
            __syncthreads();
        }
    }

    for (int c = 0; c < COARSE; ++c) {
        const int col = firstCol + c * TILE;
        if (row < m && col < n)
            C[row * n + col] = sums[c];
    }
}

void multiply(const float* A, const float* B, float* C, int m, int k, int n)
{
    const int blockCols = TILE * COARSE;
    dim3 grid((n + blockCols - 1) / blockCols, (m + TILE - 1) / TILE);
    coarse_mm<<<grid, dim3(TILE, TILE)>>>(A, B, C, m, k, n);
}
