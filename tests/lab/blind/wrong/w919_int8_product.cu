#include <cstdint>
#include <cuda_runtime.h>

// Quantised product: int8 inputs over their whole range, int32 results.
// C[m x n] = A[m x k] * B[k x n], row-major. Every thread computes COLS columns.
#define BLK 16
#define COLS 2

__global__ void qgemm(const int8_t *A, const int8_t *B, int32_t *C, int m, int k, int n)
{
    __shared__ int8_t ta[BLK][BLK];
    __shared__ int8_t tb[BLK][BLK * COLS];

    int i = blockIdx.y * BLK + threadIdx.y;
    int j = blockIdx.x * BLK * COLS + threadIdx.x;
    int16_t acc[COLS] = {0};

    for (int s = 0; s < k; s += BLK) {
        int q = s + threadIdx.x;
        ta[threadIdx.y][threadIdx.x] = (i < m && q < k) ? A[i * k + q] : 0;

        q = s + threadIdx.y;
        for (int c = 0; c < COLS; c++) {
            int jj = j + c * BLK;
            tb[threadIdx.y][threadIdx.x + c * BLK] = (q < k && jj < n) ? B[q * n + jj] : 0;
        }
        __syncthreads();

        for (int d = 0; d < BLK; d++)
            for (int c = 0; c < COLS; c++)
                acc[c] += ta[threadIdx.y][d] * tb[d][threadIdx.x + c * BLK];
        __syncthreads();
    }

    for (int c = 0; c < COLS; c++) {
        int jj = j + c * BLK;
        if (i < m && jj < n)
            C[i * n + jj] = acc[c];
    }
}

void launch_qgemm(const int8_t *A, const int8_t *B, int32_t *C, int m, int k, int n)
{
    dim3 grid((n + BLK * COLS - 1) / (BLK * COLS), (m + BLK - 1) / BLK);
    qgemm<<<grid, dim3(BLK, BLK)>>>(A, B, C, m, k, n);
}
