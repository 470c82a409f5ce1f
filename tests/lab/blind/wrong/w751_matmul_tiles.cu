// Homework 3: tiled matrix multiplication  C (m x n) = A (m x k) * B (k x n)
// Row-major float matrices, sizes may be anything >= 1.
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

__global__ void matMulTiled(const float *A, const float *B, float *C,
                            int m, int k, int n)
{
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int col = blockIdx.x * TILE + tx;

    float acc = 0.0f;
    for (int base = 0; base < k; base += TILE) {
        float a = 0.0f, b = 0.0f;
        if (row < m && base + tx < k) a = A[(size_t)row * k + base + tx];
        if (base + ty < k && col < n) b = B[(size_t)(base + ty) * n + col];
        tileA[ty][tx] = a;
        tileB[ty][tx] = b;
        __syncthreads();

        for (int p = 0; p < TILE; ++p)
            acc += tileA[ty][p] * tileB[p][tx];
    }

    if (row < m && col < n)
        C[(size_t)row * n + col] = acc;
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 300;
    int k = argc > 2 ? atoi(argv[2]) : 517;
    int n = argc > 3 ? atoi(argv[3]) : 211;

    std::vector<float> hA((size_t)m * k), hB((size_t)k * n), hC((size_t)m * n);
    for (auto &v : hA) v = (rand() % 200 - 100) / 100.0f;
    for (auto &v : hB) v = (rand() % 200 - 100) / 100.0f;

    float *dA, *dB, *dC;
    CHECK(cudaMalloc(&dA, hA.size() * sizeof(float)));
    CHECK(cudaMalloc(&dB, hB.size() * sizeof(float)));
    CHECK(cudaMalloc(&dC, hC.size() * sizeof(float)));
    CHECK(cudaMemcpy(dA, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dB, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(TILE, TILE);
    dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    matMulTiled<<<grid, block>>>(dA, dB, dC, m, k, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(hC.data(), dC, hC.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double worst = 0.0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double ref = 0.0;
            for (int p = 0; p < k; ++p)
                ref += (double)hA[(size_t)i * k + p] * hB[(size_t)p * n + j];
            worst = fmax(worst, fabs(ref - hC[(size_t)i * n + j]));
        }
    printf("max error %g -> %s\n", worst, worst < 1e-3 ? "OK" : "WRONG");

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return worst < 1e-3 ? 0 : 1;
}
