// 半精度输入、单精度输出的矩阵乘法
// A: M x K, B: K x N (half, 行主序), C: M x N (float)
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
#include <algorithm>
#include <cmath>

template <int TM, int TN, int TK>
__global__ void gemmHalf(const half* A, const half* B, float* C, int M, int N, int K)
{
    __shared__ half As[TM][TK];
    __shared__ half Bs[TK][TN];
    const int tid = threadIdx.y * TN + threadIdx.x;
    const int row = blockIdx.y * TM + threadIdx.y;
    const int col = blockIdx.x * TN + threadIdx.x;
    const half zero = __float2half(0.f);

    float acc = 0.f;
    for (int k0 = 0; k0 < K; k0 += TK) {
        // 一维方式搬运两个小块
        for (int e = tid; e < TM * TK; e += TM * TN) {
            int r = blockIdx.y * TM + e / TK, k = k0 + e % TK;
            As[e / TK][e % TK] = (r < M && k < K) ? A[r * K + k] : zero;
        }
        for (int e = tid; e < TK * TN; e += TM * TN) {
            int k = k0 + e / TN, c = blockIdx.x * TN + e % TN;
            Bs[e / TN][e % TN] = (k < K && c < N) ? B[k * N + c] : zero;
        }
        __syncthreads();
        for (int k = 0; k < TK; ++k)
            acc += __half2float(As[threadIdx.y][k]) * __half2float(Bs[k][threadIdx.x]);
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}

int main()
{
    const int M = 96, N = 80, K = 130;
    std::vector<half> A(M * K), B(K * N);
    std::vector<float> C(M * N);
    for (int i = 0; i < M * K; ++i) A[i] = __float2half((i % 13 - 6) / 8.f);
    for (int i = 0; i < K * N; ++i) B[i] = __float2half((i % 11 - 5) / 4.f);

    half *dA, *dB;
    float *dC;
    const size_t bytesA = A.size() * sizeof(half);
    const size_t bytesB = B.size() * sizeof(half);
    cudaMalloc(&dA, bytesA);
    cudaMalloc(&dB, bytesB);
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), bytesB, cudaMemcpyHostToDevice);

    dim3 block(16, 8), grid((N + 15) / 16, (M + 7) / 8);
    gemmHalf<8, 16, 32><<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(half), cudaMemcpyDeviceToHost);

    float worst = 0.f;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0.f;
            for (int k = 0; k < K; ++k)
                s += __half2float(A[i * K + k]) * __half2float(B[k * N + j]);
            worst = std::max(worst, std::fabs(s - C[i * N + j]));
        }
    printf("最大误差 %g\n", worst);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
