#include <cuda_runtime.h>
#include <iostream>
#include <vector>

__global__ void matmulSimple(const float* __restrict__ A, const float* __restrict__ B,
                             float* __restrict__ C, const int N)
{
    // square matrices of order N
    const int col = blockDim.x * blockIdx.x + threadIdx.x;
    const int row = blockDim.y * blockIdx.y + threadIdx.y;
    if (row >= N || col >= N)
        return;

    float value = 0.0f;
    for (int k = 0; k < N; ++k)
        value += A[row * N + k] * B[col * N + k];
    C[row * N + col] = value;
}

int main()
{
    const int N = 100;
    const size_t bytes = N * N * sizeof(float);
    std::vector<float> a(N * N), b(N * N), c(N * N);
    for (int i = 0; i < N * N; ++i) { a[i] = i % 8; b[i] = i % 9; }
    float *dA, *dB, *dC;
    cudaMalloc(&dA, bytes);
    cudaMalloc(&dB, bytes);
    cudaMalloc(&dC, bytes);
    cudaMemcpy(dA, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), bytes, cudaMemcpyHostToDevice);
    dim3 threads(32, 32);
    dim3 blocks((N + 31) / 32, (N + 31) / 32);
    matmulSimple<<<blocks, threads>>>(dA, dB, dC, N);
    cudaMemcpy(c.data(), dC, bytes, cudaMemcpyDeviceToHost);
    std::cout << c[5] << std::endl;
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
}
