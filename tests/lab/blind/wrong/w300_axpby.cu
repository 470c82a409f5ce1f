// C = alpha*A*B + beta*C, row-major, naive version kept as the baseline for the
// optimisation series on my blog. Sizes are M x K times K x N.
#include <cuda_runtime.h>
#include <iostream>
#include <vector>
#include <cmath>

template <typename T>
__global__ void gemm_naive(int M, int N, int K, T alpha, const T* A, const T* B, T beta, T* C)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;

    T sum = T(0);
    for (int k = 0; k < K; ++k)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum + beta * C[row * N + col];
}

template <typename T>
void gemm(int M, int N, int K, T alpha, const T* A, const T* B, T beta, T* C)
{
    dim3 block(64, 4);
    dim3 grid((N + block.x - 1) / block.x, (M + block.y - 1) / block.y);
    gemm_naive<T><<<grid, block>>>(M, K, N, alpha, A, B, beta, C);
}

int main()
{
    const int M = 120, N = 96, K = 72;
    const float alpha = 2.0f, beta = 0.5f;

    std::vector<float> A(M * K), B(K * N), C(M * N), ref(M * N);
    for (int i = 0; i < M * K; ++i) A[i] = 0.1f * (i % 9) - 0.3f;
    for (int i = 0; i < K * N; ++i) B[i] = 0.2f * (i % 7) - 0.5f;
    for (int i = 0; i < M * N; ++i) C[i] = 1.0f * (i % 5);

    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            ref[i * N + j] = alpha * s + beta * C[i * N + j];
        }

    auto toDevice = [](const std::vector<float>& v) {
        float* p = nullptr;
        cudaMalloc(&p, v.size() * sizeof(float));
        cudaMemcpy(p, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
        return p;
    };
    float* dA = toDevice(A);
    float* dB = toDevice(B);
    float* dC = toDevice(C);

    gemm(M, N, K, alpha, dA, dB, beta, dC);

    const cudaError_t status = cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (status != cudaSuccess) {
        std::cerr << cudaGetErrorString(status) << "\n";
        return 1;
    }
    int mismatches = 0;
    for (int i = 0; i < M * N; ++i)
        if (std::fabs(C[i] - ref[i]) > 1e-2f) ++mismatches;
    std::cout << (mismatches ? "FAIL " : "OK ") << mismatches << std::endl;

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return mismatches != 0;
}
