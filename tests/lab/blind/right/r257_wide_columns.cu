// Matrix product in double precision, four output columns per thread.
//
//   C[M x N] = A[M x K] * B[K x N]      (row major, no padding)
//
// launch with  dim3 block(32, 8), grid(ceil(N / 128), ceil(M / 8))
#include <cuda_runtime.h>

const int BX = 32;          // threads in x
const int BY = 8;           // threads in y
const int COLS = 4;         // columns of C for each thread
const int WIDE = BX * COLS; // columns of C for each block

__global__ void dgemm_wide(int M, int N, int K,
                           const double* __restrict__ A,
                           const double* __restrict__ B,
                           double* __restrict__ C)
{
    __shared__ double a_tile[BY][BX];    // 8 rows of A, 32 deep
    __shared__ double b_tile[BX][WIDE];  // 32 deep, 128 columns of B

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = blockIdx.y * BY + y;
    const int col0 = blockIdx.x * WIDE + x;

    double acc[COLS];
    for (int c = 0; c < COLS; ++c) acc[c] = 0.0;

    for (int k0 = 0; k0 < K; k0 += BX) {
        double av = 0.0;
        if (row < M && k0 + x < K) av = A[(size_t)row * K + k0 + x];
        a_tile[y][x] = av;

        for (int r = y; r < BX; r += BY) {
            for (int c = 0; c < COLS; ++c) {
                const int col = col0 + c * BX;
                double bv = 0.0;
                if (k0 + r < K && col < N) bv = B[(size_t)(k0 + r) * N + col];
                b_tile[r][x + c * BX] = bv;
            }
        }
        __syncthreads();

        for (int kk = 0; kk < BX; ++kk) {
            const double a = a_tile[y][kk];
            for (int c = 0; c < COLS; ++c)
                acc[c] += a * b_tile[kk][x + c * BX];
        }
        __syncthreads();
    }

    if (row >= M) return;
    for (int c = 0; c < COLS; ++c) {
        const int col = col0 + c * BX;
        if (col < N) C[(size_t)row * N + col] = acc[c];
    }
}
