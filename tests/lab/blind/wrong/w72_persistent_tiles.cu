// Persistent-style matmul: a fixed number of blocks walks over all output tiles.
#include <cstdio>
#include <vector>
#include <cmath>
#include <algorithm>
#include <cuda_runtime.h>

static const int BS = 16;

__global__ void matmulPersistent(const float *A, const float *B, float *C,
                                 int M, int N, int K)
{
    __shared__ float subA[BS][BS];
    __shared__ float subB[BS][BS];

    const int tilesX = (N + BS - 1) / BS;
    const int tilesY = (M + BS - 1) / BS;
    const int total = tilesX * tilesY;
    const int lx = threadIdx.x % BS;
    const int ly = threadIdx.x / BS;

    float acc = 0.0f;
    for (int tile = blockIdx.x; tile < total; tile += gridDim.x) {
        int row = (tile / tilesX) * BS + ly;
        int col = (tile % tilesX) * BS + lx;

        for (int k0 = 0; k0 < K; k0 += BS) {
            subA[ly][lx] = (row < M && k0 + lx < K) ? A[row * K + k0 + lx] : 0.0f;
            subB[ly][lx] = (k0 + ly < K && col < N) ? B[(k0 + ly) * N + col] : 0.0f;
            __syncthreads();
            for (int k = 0; k < BS; ++k)
                acc += subA[ly][k] * subB[k][lx];
            __syncthreads();
        }

        if (row < M && col < N)
            C[row * N + col] = acc;
    }
}

int main()
{
    const int M = 150, N = 130, K = 45;
    std::vector<float> a(M * K), b(K * N), c(M * N);
    for (int i = 0; i < M * K; ++i) a[i] = float((i * 7) % 13) / 13.0f;
    for (int i = 0; i < K * N; ++i) b[i] = float((i * 5) % 11) / 11.0f;

    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    matmulPersistent<<<20, BS * BS>>>(da, db, dc, M, N, K);
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
