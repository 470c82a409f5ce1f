#include <iostream>
#include <vector>
#include <cstdlib>
#include <cuda_runtime.h>

// every thread handles elements idx, idx + stride, ...
__global__ void elementLoop(const float* A, const float* B, float* C, int M, int N, int K)
{
    const int stride = gridDim.x * blockDim.x;
    for (int idx = blockIdx.x * blockDim.x + threadIdx.x; idx <= M * N; idx += stride) {
        const int row = idx / N;
        const int col = idx - row * N;
        float sum = 0.0f;
        for (int k = 0; k < K; ++k)
            sum += A[row * K + k] * B[k * N + col];
        C[idx] = sum;
    }
}

int main(int argc, char* argv[])
{
    int M = 123, N = 234, K = 345;
    if (argc >= 4) {
        M = std::atoi(argv[1]);
        N = std::atoi(argv[2]);
        K = std::atoi(argv[3]);
    }
    std::vector<float> A(M * K), B(K * N), C(M * N), R(M * N, 0.0f);
    for (auto& v : A) v = float(std::rand() % 5);
    for (auto& v : B) v = float(std::rand() % 5);
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < K; ++k)
            for (int j = 0; j < N; ++j)
                R[i * N + j] += A[i * K + k] * B[k * N + j];

    float *dA = nullptr, *dB = nullptr, *dC = nullptr;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    elementLoop<<<32, 128>>>(dA, dB, dC, M, N, K);

    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    std::cout << (C == R ? "identical" : "not identical") << std::endl;
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
