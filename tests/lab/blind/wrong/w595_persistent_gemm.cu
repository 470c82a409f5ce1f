// Homework 5: "persistent" tiled GEMM.
// Instead of one block per tile we launch a fixed number of blocks; every block
// walks over the list of output tiles.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int kTile = 16;
constexpr int kMaxBlocks = 216;   // 2 per SM on the lab machine

#define CUDA_CHECK(call)                                                   \
    do {                                                                   \
        cudaError_t status = (call);                                       \
        if (status != cudaSuccess) {                                       \
            std::fprintf(stderr, "%s\n", cudaGetErrorString(status));      \
            std::exit(EXIT_FAILURE);                                       \
        }                                                                  \
    } while (0)

__global__ void persistent_gemm(const float* A, const float* B, float* C,
                                int M, int N, int K)
{
    __shared__ float As[kTile][kTile];
    __shared__ float Bs[kTile][kTile];

    // 256 threads in one dimension
    const int tx = threadIdx.x % kTile;
    const int ty = threadIdx.x / kTile;
    const int tilesX = (N + kTile - 1) / kTile;
    const int tilesY = (M + kTile - 1) / kTile;

    float acc = 0.0f;
    for (int tile = blockIdx.x; tile < tilesX * tilesY; tile += gridDim.x) {
        const int row = (tile / tilesX) * kTile + ty;
        const int col = (tile % tilesX) * kTile + tx;

        for (int k0 = 0; k0 < K; k0 += kTile) {
            As[ty][tx] = (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
            Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;
            __syncthreads();
            for (int k = 0; k < kTile; ++k)
                acc += As[ty][k] * Bs[k][tx];
            __syncthreads();
        }

        if (row < M && col < N)
            C[row * N + col] = acc;
    }
}

int main(int argc, char** argv)
{
    const int M = argc > 1 ? std::atoi(argv[1]) : 200;
    const int N = argc > 2 ? std::atoi(argv[2]) : 150;
    const int K = argc > 3 ? std::atoi(argv[3]) : 100;

    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (int i = 0; i < M * K; ++i) A[i] = float(i % 13) - 6.0f;
    for (int i = 0; i < K * N; ++i) B[i] = float(i % 7) - 3.0f;

    float *dA, *dB, *dC;
    CUDA_CHECK(cudaMalloc(&dA, A.size() * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dB, B.size() * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dC, C.size() * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));

    const int tiles = ((M + kTile - 1) / kTile) * ((N + kTile - 1) / kTile);
    persistent_gemm<<<std::min(tiles, kMaxBlocks), kTile * kTile>>>(dA, dB, dC, M, N, K);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

    int errors = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float ref = 0.0f;
            for (int k = 0; k < K; ++k) ref += A[i * K + k] * B[k * N + j];
            if (std::fabs(ref - C[i * N + j]) > 0.5f) ++errors;
        }
    std::printf("%d errors\n", errors);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return errors ? 1 : 0;
}
