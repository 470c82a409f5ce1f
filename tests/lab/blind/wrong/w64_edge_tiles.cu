#include <iostream>
#include <vector>
#include <cmath>
#include <algorithm>
#include <cuda_runtime.h>

#define TILE_WIDTH 24

// C[M x N] = A[M x K] * B[K x N]
__global__ void MatrixMulKernel(const float* d_A, const float* d_B, float* d_C,
                                int M, int K, int N)
{
    __shared__ float ds_A[TILE_WIDTH][TILE_WIDTH];
    __shared__ float ds_B[TILE_WIDTH][TILE_WIDTH];

    int bx = blockIdx.x;  int by = blockIdx.y;
    int tx = threadIdx.x; int ty = threadIdx.y;

    int Row = by * TILE_WIDTH + ty;
    int Col = bx * TILE_WIDTH + tx;

    float Cvalue = 0;
    int phases = (K - 1) / TILE_WIDTH + 1;

    for (int ph = 0; ph < phases; ++ph) {
        if (Row < M && ph * TILE_WIDTH + tx < K)
            ds_A[ty][tx] = d_A[Row * K + ph * TILE_WIDTH + tx];
        if (Col < N && ph * TILE_WIDTH + ty < K)
            ds_B[ty][tx] = d_B[(ph * TILE_WIDTH + ty) * N + Col];
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; ++k)
            Cvalue += ds_A[ty][k] * ds_B[k][tx];
        __syncthreads();
    }

    if (Row < M && Col < N)
        d_C[Row * N + Col] = Cvalue;
}

int main()
{
    const int M = 100, K = 70, N = 110;
    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (size_t i = 0; i < A.size(); ++i) A[i] = 0.01f * (i % 97);
    for (size_t i = 0; i < B.size(); ++i) B[i] = 0.02f * (i % 89);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(TILE_WIDTH, TILE_WIDTH, 1);
    dim3 blocks((N - 1) / TILE_WIDTH + 1, (M - 1) / TILE_WIDTH + 1, 1);
    MatrixMulKernel<<<blocks, threads>>>(dA, dB, dC, M, K, N);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    float worst = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            worst = std::max(worst, std::fabs(s - C[i * N + j]));
        }
    std::cout << "max error: " << worst << std::endl;
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return 0;
}
