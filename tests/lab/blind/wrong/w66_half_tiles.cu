// half precision inputs, float accumulation; tile edges padded with zero
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

constexpr int T = 16;

__global__ void hgemm_tiled(const __half *A, const __half *B, float *C,
                            int M, int N, int K)
{
    __shared__ __half As[T][T];
    __shared__ __half Bs[T][T + 1];

    const int row = blockIdx.y * T + threadIdx.y;
    const int col = blockIdx.x * T + threadIdx.x;
    const int nTiles = K / T;

    float acc = 0.f;
    for (int t = 0; t < nTiles; ++t) {
        const int kA = t * T + threadIdx.x;
        const int kB = t * T + threadIdx.y;
        As[threadIdx.y][threadIdx.x] =
            (row < M && kA < K) ? A[row * K + kA] : __float2half(0.f);
        Bs[threadIdx.y][threadIdx.x] =
            (kB < K && col < N) ? B[kB * N + col] : __float2half(0.f);
        __syncthreads();

#pragma unroll
        for (int k = 0; k < T; ++k)
            acc += __half2float(As[threadIdx.y][k]) * __half2float(Bs[k][threadIdx.x]);
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = acc;
}

int main()
{
    const int M = 60, N = 90, K = 100;
    std::vector<__half> A(M * K), B(K * N);
    std::vector<float> C(M * N);
    for (int i = 0; i < M * K; ++i) A[i] = __float2half((i % 5) * 0.5f);
    for (int i = 0; i < K * N; ++i) B[i] = __float2half((i % 3) * 0.25f);

    __half *dA, *dB;
    float *dC;
    cudaMalloc(&dA, sizeof(__half) * M * K);
    cudaMalloc(&dB, sizeof(__half) * K * N);
    cudaMalloc(&dC, sizeof(float) * M * N);
    cudaMemcpy(dA, A.data(), sizeof(__half) * M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), sizeof(__half) * K * N, cudaMemcpyHostToDevice);

    dim3 block(T, T);
    dim3 grid((N + T - 1) / T, (M + T - 1) / T);
    hgemm_tiled<<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C.data(), dC, sizeof(float) * M * N, cudaMemcpyDeviceToHost);

    float e = 0.f;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0.f;
            for (int k = 0; k < K; ++k)
                s += __half2float(A[i * K + k]) * __half2float(B[k * N + j]);
            e = fmaxf(e, fabsf(s - C[i * N + j]));
        }
    printf("max error: %g\n", e);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return 0;
}
