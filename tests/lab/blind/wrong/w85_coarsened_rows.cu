// Each 32 x 8 block computes a 32 x 32 tile; every thread owns four results.
#include <cstdio>
#include <vector>
#include <cmath>
#include <algorithm>
#include <cuda_runtime.h>

constexpr int TILE = 32;
constexpr int BLOCK_ROWS = 8;
constexpr int ROWS_PER_THREAD = TILE / BLOCK_ROWS;

__global__ void sgemmCoarse(const float *A, const float *B, float *C,
                            int M, int N, int K)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row0 = blockIdx.y * TILE;
    const int col = blockIdx.x * TILE + tx;

    float acc[ROWS_PER_THREAD] = {0.0f};

    for (int k0 = 0; k0 < K; k0 += TILE) {
        for (int r = 0; r < ROWS_PER_THREAD; ++r) {
            int y = ty + r * BLOCK_ROWS;
            As[y][tx] = (row0 + y < M && k0 + tx < K) ? A[(row0 + y) * K + k0 + tx] : 0.0f;
            Bs[y][tx] = (k0 + y < K && col < N) ? B[(k0 + y) * N + col] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < TILE; ++k) {
            float b = Bs[k][tx];
            for (int r = 0; r < ROWS_PER_THREAD; ++r)
                acc[r] += As[ty + r * BLOCK_ROWS][k] * b;
        }
        __syncthreads();
    }

    for (int r = 0; r < ROWS_PER_THREAD; ++r) {
        int row = row0 + ty * ROWS_PER_THREAD + r;
        if (row < M && col < N)
            C[row * N + col] = acc[r];
    }
}

int main()
{
    const int M = 140, N = 75, K = 66;
    std::vector<float> a(M * K), b(K * N), c(M * N);
    for (int i = 0; i < M * K; ++i) a[i] = float(i % 23) / 23.0f;
    for (int i = 0; i < K * N; ++i) b[i] = float(i % 29) / 29.0f;

    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(TILE, BLOCK_ROWS);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    sgemmCoarse<<<grid, block>>>(da, db, dc, M, N, K);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    float err = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += a[i * K + k] * b[k * N + j];
            err = std::max(err, std::fabs(s - c[i * N + j]));
        }
    printf("max error: %g\n", err);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return 0;
}
