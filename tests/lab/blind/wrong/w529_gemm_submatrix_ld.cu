// C[0:m, 0:n] = alpha * A[0:m, 0:k] * B[0:k, 0:n] + beta * C[0:m, 0:n]
// works on sub-matrices of bigger row-major matrices, so every operand has its own
// leading dimension (lda >= k, ldb >= n, ldc >= n).
#include <cuda_runtime.h>
#include <cstdlib>
#include <cstdio>

#define TILE_M 64
#define TILE_N 32
#define TILE_K 16
#define THREADS 128 /* 16 x 8 threads, 4 x 4 results each */

struct matrix_view {
    float *data;
    int rows, cols, ld;
};

__global__ void gemm_views(matrix_view a, matrix_view b, matrix_view c, float alpha, float beta)
{
    __shared__ float a_tile[TILE_M][TILE_K + 1];
    __shared__ float b_tile[TILE_K][TILE_N];

    const int tid = threadIdx.x;
    const int tx = tid % 8, ty = tid / 8;
    const int row0 = blockIdx.y * TILE_M;
    const int col0 = blockIdx.x * TILE_N;

    float acc[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            acc[i][j] = 0.0f;

    for (int k0 = 0; k0 < a.cols; k0 += TILE_K) {
        for (int e = tid; e < TILE_M * TILE_K; e += THREADS) {
            int r = e / TILE_K, q = e % TILE_K;
            bool ok = row0 + r < a.rows && k0 + q < a.cols;
            a_tile[r][q] = ok ? a.data[(row0 + r) * a.ld + k0 + q] : 0.0f;
        }
        for (int e = tid; e < TILE_K * TILE_N; e += THREADS) {
            int q = e / TILE_N, s = e % TILE_N;
            bool ok = k0 + q < b.rows && col0 + s < b.cols;
            b_tile[q][s] = ok ? b.data[(k0 + q) * b.cols + col0 + s] : 0.0f;
        }
        __syncthreads();

        for (int q = 0; q < TILE_K; q++) {
            float av[4], bv[4];
            for (int i = 0; i < 4; i++) {
                av[i] = a_tile[ty * 4 + i][q];
                bv[i] = b_tile[q][tx * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    acc[i][j] += av[i] * bv[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int r = row0 + ty * 4 + i, s = col0 + tx * 4 + j;
            if (r < c.rows && s < c.cols) {
                float *p = &c.data[r * c.ld + s];
                *p = alpha * acc[i][j] + beta * *p;
            }
        }
}

int gemm_submatrix(matrix_view a, matrix_view b, matrix_view c, float alpha, float beta)
{
    if (a.cols != b.rows || a.rows != c.rows || b.cols != c.cols) return -1;
    if (a.ld < a.cols || b.ld < b.cols || c.ld < c.cols) return -2;
    dim3 grid((c.cols + TILE_N - 1) / TILE_N, (c.rows + TILE_M - 1) / TILE_M);
    gemm_views<<<grid, THREADS>>>(a, b, c, alpha, beta);
    return cudaGetLastError() == cudaSuccess ? 0 : -3;
}
