// C = alpha * A * B + beta * C, row-major. If beta is 0, C is not read.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

template <int T, bool ReadC>
__global__ void gemmKernel(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C)
{
    __shared__ float tA[T][T + 1];
    __shared__ float tB[T][T + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r = blockIdx.y * T + ty, c = blockIdx.x * T + tx;

    float dot = 0.f;
    for (int k0 = 0; k0 < K; k0 += T) {
        tA[ty][tx] = (r < M && k0 + tx < K) ? A[r * K + (k0 + tx)] : 0.f;
        tB[ty][tx] = (c < N && k0 + ty < K) ? B[(k0 + ty) * N + c] : 0.f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < T; ++k) dot += tA[ty][k] * tB[k][tx];
        __syncthreads();
    }

    if (r >= M || c >= N) return;
    float result = alpha * dot;
    if (ReadC) result += beta * C[r * N + c];
    C[r * N + c] = result;
}

void gemm(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C)
{
    constexpr int T = 16;
    dim3 block(T, T), grid((N + T - 1) / T, (M + T - 1) / T);
    if (beta == 0.f)
        gemmKernel<T, false><<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
    else
        gemmKernel<T, true><<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}

int main()
{
    const int M = 66, N = 77, K = 88;
    std::vector<float> A(M * K), B(K * N), C0(M * N), C(M * N);
    for (int i = 0; i < M * K; ++i) A[i] = std::sin(float(i));
    for (int i = 0; i < K * N; ++i) B[i] = std::cos(float(i));
    for (int i = 0; i < M * N; ++i) C0[i] = float(i % 4);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    bool ok = true;
    const float betas[2] = {0.75f, 0.f};
    for (float beta : betas) {
        const float alpha = -2.f;
        cudaMemcpy(dC, C0.data(), C0.size() * sizeof(float), cudaMemcpyHostToDevice);
        gemm(M, N, K, alpha, dA, dB, beta, dC);
        cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                float s = 0;
                for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
                if (!(std::fabs(alpha * s + beta * C0[i * N + j] - C[i * N + j]) <= 1e-3f)) ok = false;
            }
    }
    printf("%s\n", ok ? "OK" : "BAD");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return ok ? 0 : 1;
}
