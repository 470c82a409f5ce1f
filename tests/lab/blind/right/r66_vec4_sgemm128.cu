// Vectorised SGEMM, 128x128x8 block tile, 8x8 thread tile.
// Only for M % 128 == 0, N % 128 == 0, K % 8 == 0 (checked on the host).
#include <cassert>
#include <cstdio>
#include <vector>
#include <cmath>
#include <cuda_runtime.h>

constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;

__global__ void __launch_bounds__(256)
sgemmVec(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int N, int K)
{
    __shared__ float As[BK * BM];   // transposed: As[k][m]
    __shared__ float Bs[BK * BN];

    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;

    const int threadRow = threadIdx.x / (BN / TN);
    const int threadCol = threadIdx.x % (BN / TN);
    const int rowA = threadIdx.x / (BK / 4), colA = threadIdx.x % (BK / 4);
    const int rowB = threadIdx.x / (BN / 4), colB = threadIdx.x % (BN / 4);

    float res[TM * TN] = {0.0f};
    float regM[TM], regN[TN];

    for (int bk = 0; bk < K; bk += BK) {
        float4 v = *reinterpret_cast<const float4 *>(&A[rowA * K + colA * 4]);
        As[(colA * 4 + 0) * BM + rowA] = v.x;
        As[(colA * 4 + 1) * BM + rowA] = v.y;
        As[(colA * 4 + 2) * BM + rowA] = v.z;
        As[(colA * 4 + 3) * BM + rowA] = v.w;
        float4 w = *reinterpret_cast<const float4 *>(&B[rowB * N + colB * 4]);
        Bs[rowB * BN + colB * 4 + 0] = w.x;
        Bs[rowB * BN + colB * 4 + 1] = w.y;
        Bs[rowB * BN + colB * 4 + 2] = w.z;
        Bs[rowB * BN + colB * 4 + 3] = w.w;
        __syncthreads();

        A += BK;
        B += BK * N;

        for (int d = 0; d < BK; ++d) {
            for (int i = 0; i < TM; ++i) regM[i] = As[d * BM + threadRow * TM + i];
            for (int j = 0; j < TN; ++j) regN[j] = Bs[d * BN + threadCol * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    res[i * TN + j] += regM[i] * regN[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; j += 4) {
            float4 o;
            o.x = res[i * TN + j];
            o.y = res[i * TN + j + 1];
            o.z = res[i * TN + j + 2];
            o.w = res[i * TN + j + 3];
            *reinterpret_cast<float4 *>(&C[(threadRow * TM + i) * N + threadCol * TN + j]) = o;
        }
}

void launch(const float *A, const float *B, float *C, int M, int N, int K)
{
    assert(M % BM == 0 && N % BN == 0 && K % BK == 0);
    dim3 grid(N / BN, M / BM);
    sgemmVec<<<grid, (BM * BN) / (TM * TN)>>>(A, B, C, N, K);
}

int main()
{
    const int M = 256, N = 128, K = 40;
    std::vector<float> hA(M * K), hB(K * N), hC(M * N);
    for (int i = 0; i < M * K; ++i) hA[i] = (i * 7 % 11) - 5.f;
    for (int i = 0; i < K * N; ++i) hB[i] = (i * 3 % 13) - 6.f;
    float *dA, *dB, *dC;
    cudaMalloc(&dA, M * K * 4);
    cudaMalloc(&dB, K * N * 4);
    cudaMalloc(&dC, M * N * 4);
    cudaMemcpy(dA, hA.data(), M * K * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB.data(), K * N * 4, cudaMemcpyHostToDevice);
    launch(dA, dB, dC, M, N, K);
    cudaMemcpy(hC.data(), dC, M * N * 4, cudaMemcpyDeviceToHost);
    double err = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0;
            for (int k = 0; k < K; ++k) s += hA[i * K + k] * hB[k * N + j];
            err = fmax(err, fabs(s - hC[i * N + j]));
        }
    printf("max err %g %s\n", err, err < 1e-3 ? "PASS" : "FAIL");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return err < 1e-3 ? 0 : 1;
}
