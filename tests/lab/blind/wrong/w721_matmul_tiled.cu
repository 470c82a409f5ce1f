// Assignment 2 - tiled matrix multiplication, C = A * B
// float, row-major, A is m x k, B is k x n, C is m x n, any sizes.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define TILE 16

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t err_ = (call);                                         \
        if (err_ != cudaSuccess) {                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,             \
                    cudaGetErrorString(err_));                             \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

__global__ void matmul_tiled(const float *A, const float *B, float *C,
                             int m, int n, int k)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int col = blockIdx.x * TILE + tx;

    float acc = 0.0f;
    int numTiles = (k + TILE - 1) / TILE;

    for (int t = 0; t < numTiles; t++) {
        int aCol = t * TILE + tx;
        int bRow = t * TILE + ty;
        As[ty][tx] = (row < m && aCol < k) ? A[row * k + aCol] : 0.0f;
        Bs[ty][tx] = (bRow < k && col < n) ? B[bRow * n + col] : 0.0f;
        __syncthreads();

        for (int i = 0; i < TILE; i++)
            acc += As[ty][i] * Bs[i][tx];
    }

    if (row < m && col < n)
        C[row * n + col] = acc;
}

int main()
{
    const int m = 500, n = 333, k = 410;
    std::vector<float> A(m * k), B(k * n), C(m * n);
    for (int i = 0; i < m * k; i++) A[i] = (float)(rand() % 11 - 5);
    for (int i = 0; i < k * n; i++) B[i] = (float)(rand() % 7 - 3);

    float *dA, *dB, *dC;
    CHECK(cudaMalloc(&dA, A.size() * sizeof(float)));
    CHECK(cudaMalloc(&dB, B.size() * sizeof(float)));
    CHECK(cudaMalloc(&dC, C.size() * sizeof(float)));
    CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matmul_tiled<<<grid, block>>>(dA, dB, dC, m, n, k);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

    int bad = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float ref = 0.0f;
            for (int p = 0; p < k; p++) ref += A[i * k + p] * B[p * n + j];
            if (fabsf(ref - C[i * n + j]) > 1e-2f) bad++;
        }
    printf(bad ? "FAILED (%d wrong)\n" : "OK (%d wrong)\n", bad);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bad != 0;
}
