#include <cuda_runtime.h>

// Reduced matrix product: A is 2m x k, B is k x 2n, result is m x n.
// Every output is the sum over a 2x2 square of A*B.

constexpr int TILE_M = 4;
constexpr int TILE_N = 32;
constexpr int TILE_K = 8;

__global__ void pairProduct(const double* A, const double* B, double* C, int m, int n, int k)
{
    __shared__ double a[TILE_M][TILE_K];
    __shared__ double b[TILE_K][TILE_N];

    const int t = threadIdx.x;                  // 128 threads
    const int lr = t / TILE_N, lc = t % TILE_N;
    const int i0 = blockIdx.y * TILE_M, j0 = blockIdx.x * TILE_N;

    double acc = 0.0;
    for (int k0 = 0; k0 < k; k0 += TILE_K) {
        if (t < TILE_M * TILE_K) {
            const int r = i0 + t / TILE_K, c = k0 + t % TILE_K;
            a[t / TILE_K][t % TILE_K] = (r < m && c < k)
                ? A[2 * r * k + c] + A[(2 * r + 1) * k + c] : 0.0;
        }
        for (int e = t; e < TILE_K * TILE_N; e += TILE_M * TILE_N) {
            const int r = k0 + e / TILE_N, c = j0 + e % TILE_N;
            double v = 0.0;
            if (r < k && c < n)
                v = B[r * n + 2 * c] + B[r * n + 2 * c + 1];
            b[e / TILE_N][e % TILE_N] = v;
        }
        __syncthreads();

        for (int q = 0; q < TILE_K; ++q)
            acc += a[lr][q] * b[q][lc];
        __syncthreads();
    }

    if (i0 + lr < m && j0 + lc < n)
        C[(i0 + lr) * n + j0 + lc] = acc;
}

void launchPairs(const double* A, const double* B, double* C, int m, int n, int k)
{
    dim3 grid((n + TILE_N - 1) / TILE_N, (m + TILE_M - 1) / TILE_M);
    pairProduct<<<grid, TILE_M * TILE_N>>>(A, B, C, m, n, k);
}
