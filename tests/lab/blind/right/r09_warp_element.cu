// One WARP computes one element of C. Not the fastest way but it shows shuffles.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CHECK(x) { cudaError_t err = x; if (err != cudaSuccess) { printf("Error: %s\n", cudaGetErrorString(err)); return 1; } }

constexpr unsigned FULL = 0xffffffffu;

__inline__ __device__ float warpSum(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_down_sync(FULL, v, offset);
    return v;
}

// block = (32, 8): threadIdx.x is the lane, threadIdx.y the warp in the block
__global__ void matmulWarp(const float* A, const float* B, float* C, int M, int K, int N)
{
    int lane = threadIdx.x;
    int col = blockIdx.x * blockDim.y + threadIdx.y;
    int row = blockIdx.y;
    if (col >= N) return;       // whole warp leaves together

    float partial = 0.0f;
    for (int k = lane; k < K; k += 32)
        partial += A[row * K + k] * B[k * N + col];

    partial = warpSum(partial);
    if (lane == 0)
        C[row * N + col] = partial;
}

int main()
{
    const int M = 65, K = 301, N = 83;
    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (int i = 0; i < M * K; i++) A[i] = std::sin(0.1f * i);
    for (int i = 0; i < K * N; i++) B[i] = std::cos(0.05f * i);

    float *dA, *dB, *dC;
    CUDA_CHECK(cudaMalloc(&dA, sizeof(float) * M * K));
    CUDA_CHECK(cudaMalloc(&dB, sizeof(float) * K * N));
    CUDA_CHECK(cudaMalloc(&dC, sizeof(float) * M * N));
    CUDA_CHECK(cudaMemcpy(dA, A.data(), sizeof(float) * M * K, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(dB, B.data(), sizeof(float) * K * N, cudaMemcpyHostToDevice));

    dim3 block(32, 8);
    dim3 grid((N + 7) / 8, M);
    matmulWarp<<<grid, block>>>(dA, dB, dC, M, K, N);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(C.data(), dC, sizeof(float) * M * N, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double ref = 0;
            for (int k = 0; k < K; k++) ref += (double)A[i * K + k] * B[k * N + j];
            if (!(std::fabs(ref - C[i * N + j]) <= 1e-3)) ++wrong;
        }
    printf("%s\n", wrong ? "BAD" : "OK");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return wrong ? 1 : 0;
}
