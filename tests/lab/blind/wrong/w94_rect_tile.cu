// Rectangular tile: 8 rows x 32 columns of C per block, inner tile depth 8.
// M, N and K are arbitrary.
#include <cuda_runtime.h>

namespace {
constexpr int ROWS = 8;
constexpr int COLS = 32;

__global__ void rectTile(const double* __restrict__ A, const double* __restrict__ B,
                         double* __restrict__ C, int M, int N, int K)
{
    __shared__ double a[ROWS][ROWS];
    __shared__ double b[ROWS][COLS];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * ROWS + ty;
    const int col = blockIdx.x * COLS + tx;

    if (row >= M || col >= N)
        return;

    double acc = 0.0;
    for (int k0 = 0; k0 < K; k0 += ROWS) {
        if (tx < ROWS)
            a[ty][tx] = (k0 + tx < K) ? A[row * K + k0 + tx] : 0.0;
        b[ty][tx] = (k0 + ty < K) ? B[(k0 + ty) * N + col] : 0.0;
        __syncthreads();

        for (int k = 0; k < ROWS; ++k)
            acc += a[ty][k] * b[k][tx];
        __syncthreads();
    }

    C[row * N + col] = acc;
}
}

void dgemm(const double* dA, const double* dB, double* dC, int M, int N, int K)
{
    dim3 block(COLS, ROWS);
    dim3 grid((N + COLS - 1) / COLS, (M + ROWS - 1) / ROWS);
    rectTile<<<grid, block>>>(dA, dB, dC, M, N, K);
}
