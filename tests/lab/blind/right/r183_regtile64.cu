#include <cuda_runtime.h>
#include <vector>
#include <iostream>

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 16;
constexpr int TM = 4;
constexpr int TN = 4;
constexpr int THREADS = (BM / TM) * (BN / TN); // 256

__global__ void __launch_bounds__(THREADS)
sgemmReg(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
         int M, int N, int K)
{
    __shared__ float As[BM][BK + 1];
    __shared__ float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int tr = (tid / (BN / TN)) * TM;
    const int tc = (tid % (BN / TN)) * TN;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int l = tid; l < BM * BK; l += THREADS) {
            int r = l / BK, c = l % BK;
            As[r][c] = (row0 + r < M && k0 + c < K) ? A[(row0 + r) * K + k0 + c] : 0.0f;
        }
        for (int l = tid; l < BK * BN; l += THREADS) {
            int r = l / BN, c = l % BN;
            Bs[r][c] = (k0 + r < K && col0 + c < N) ? B[(k0 + r) * N + col0 + c] : 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; ++i) a[i] = As[tr + i][k];
#pragma unroll
            for (int j = 0; j < TN; ++j) b[j] = Bs[k][tc + j];
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j)
            if (row0 + tr + i < M && col0 + tc + j < N)
                C[(row0 + tr + i) * N + col0 + tc + j] = acc[i][j];
}

int main()
{
    int M = 130, N = 70, K = 45;
    std::vector<float> a(M * K, 1.0f), b(K * N, 2.0f), c(M * N);
    float *dA, *dB, *dC;
    cudaMalloc(&dA, a.size() * sizeof(float));
    cudaMalloc(&dB, b.size() * sizeof(float));
    cudaMalloc(&dC, c.size() * sizeof(float));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    sgemmReg<<<grid, THREADS>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    std::cout << c[0] << " " << c.back() << " (expected " << 2.0f * K << ")\n";
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
}
