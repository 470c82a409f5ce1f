#include <cuda_fp16.h>

// Half-precision inputs, float accumulation and float output.
// C[M][N] = A[M][K] * B[K][N], all row-major, M, N, K arbitrary.
// Every thread produces two neighbouring columns of C; a block of 16 x 16
// threads thus covers 16 rows and 32 columns.

namespace {
constexpr int ROWS = 16;
constexpr int PAIRS = 16;
constexpr int DEPTH = 16;
}

__global__ void hgemm2(const half* A, const half* B, float* C, int M, int N, int K)
{
    __shared__ half  As[ROWS][DEPTH + 2];
    __shared__ half2 Bs[DEPTH][PAIRS];

    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * ROWS + y;
    const int col = (blockIdx.x * PAIRS + x) * 2;
    const half zero = __float2half(0.0f);

    float left = 0.0f, right = 0.0f;
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        As[y][x] = (row < M && k0 + x < K) ? A[row * K + k0 + x] : zero;

        half lo = zero, hi = zero;
        if (k0 + y < K) {
            const half* line = B + (k0 + y) * N;
            if (col < N)     lo = line[col];
            if (col + 1 < N) hi = line[col + 1];
        }
        Bs[y][x] = __halves2half2(lo, hi);
        __syncthreads();

        for (int d = 0; d < DEPTH; ++d) {
            const float a = __half2float(As[y][d]);
            const float2 b = __half22float2(Bs[d][x]);
            left  += a * b.x;
            right += a * b.y;
        }
        __syncthreads();
    }

    if (row >= M) return;
    if (col < N)     C[row * N + col]     = left;
    if (col + 1 < N) C[row * N + col + 1] = right;
}

void run_hgemm2(const half* A, const half* B, float* C, int M, int N, int K)
{
    dim3 threads(PAIRS, ROWS);
    dim3 blocks((N + 2 * PAIRS - 1) / (2 * PAIRS), (M + ROWS - 1) / ROWS);
    hgemm2<<<blocks, threads>>>(A, B, C, M, N, K);
}
