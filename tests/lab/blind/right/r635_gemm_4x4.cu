// SGEMM: C = alpha*A*B + beta*C, 64x64 output per block, 4x4 per thread, any size.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int BM = 64, BN = 64, BK = 8, TM = 4, TN = 4;
constexpr int THREADS = (BM / TM) * (BN / TN);   // 256

__global__ void __launch_bounds__(THREADS)
sgemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float As[BK][BM];     // stored transposed
    __shared__ float Bs[BK][BN];
    const int tid = threadIdx.x;
    const int tr = tid / (BN / TN), tc = tid % (BN / TN);
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += THREADS) {
            int r = e / BK, c = e % BK;
            bool in = row0 + r < M && k0 + c < K;
            As[c][r] = in ? A[(row0 + r) * K + k0 + c] : 0.0f;
        }
        for (int e = tid; e < BK * BN; e += THREADS) {
            int r = e / BN, c = e % BN;
            bool in = k0 + r < K && col0 + c < N;
            Bs[r][c] = in ? B[(k0 + r) * N + col0 + c] : 0.0f;
        }
        __syncthreads();
        for (int p = 0; p < BK; ++p) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; ++i) a[i] = As[p][tr * TM + i];
            for (int j = 0; j < TN; ++j) b[j] = Bs[p][tc * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) acc[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) {
            int r = row0 + tr * TM + i, c = col0 + tc * TN + j;
            if (r < M && c < N)
                C[r * N + c] = alpha * acc[i][j] + beta * C[r * N + c];
        }
}

int main()
{
    const int M = 130, N = 190, K = 75;
    const float alpha = 0.5f, beta = -1.0f;
    std::vector<float> A(M * K), B(K * N), C(M * N), R(M * N);
    for (int i = 0; i < M * K; ++i) A[i] = 0.25f * (i % 17 - 8);
    for (int i = 0; i < K * N; ++i) B[i] = 0.5f * (i % 6 - 2);
    for (int i = 0; i < M * N; ++i) C[i] = float(i % 3);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, sizeof(float) * M * K);
    cudaMalloc(&dB, sizeof(float) * K * N);
    cudaMalloc(&dC, sizeof(float) * M * N);
    cudaMemcpy(dA, A.data(), sizeof(float) * M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), sizeof(float) * K * N, cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C.data(), sizeof(float) * M * N, cudaMemcpyHostToDevice);

    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    sgemm<<<grid, THREADS>>>(M, N, K, alpha, dA, dB, beta, dC);
    cudaMemcpy(R.data(), dC, sizeof(float) * M * N, cudaMemcpyDeviceToHost);

    float err = 0.0f;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0.0f;
            for (int p = 0; p < K; ++p) s += A[i * K + p] * B[p * N + j];
            err = fmaxf(err, fabsf(alpha * s + beta * C[i * N + j] - R[i * N + j]));
        }
    printf("%s (max err %g)\n", err < 1e-3f ? "PASS" : "FAIL", err);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return 0;
}
