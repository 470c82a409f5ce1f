// 128x64 tile of C per block, 8x4 values per thread, K in steps of 16.
// M must be a multiple of 128, N of 64, K of 16.
#include <cuda_runtime.h>
#include <cstdio>
#include <cmath>
#include <vector>

template <int BM, int BN, int BK, int TM, int TN>
__global__ void gemmReg(const float* A, const float* B, float* C, int M, int N, int K)
{
    constexpr int NT = (BM / TM) * (BN / TN);
    __shared__ float As[BM][BK + 1];
    __shared__ float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int ty = tid / (BN / TN);
    const int tx = tid % (BN / TN);
    const float* Ablk = A + (size_t)blockIdx.y * BM * K;
    const float* Bblk = B + blockIdx.x * BN;

    float acc[TM][TN];
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) acc[i][j] = 0.f;

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = tid; e < BM * BK; e += NT)
            As[e / BK][e % BK] = Ablk[(size_t)(e / BK) * K + k0 + e % BK];
        for (int e = tid; e < BK * BN; e += NT)
            Bs[e / BN][e % BN] = Bblk[(size_t)(k0 + e / BN) * N + e % BN];
        __syncthreads();

        for (int p = 0; p < BK; ++p) {
            float ra[TM], rb[TN];
            for (int i = 0; i < TM; ++i) ra[i] = As[ty * TM + i][p];
            for (int j = 0; j < TN; ++j) rb[j] = Bs[p][tx * TM + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j)
                    acc[i][j] = fmaf(ra[i], rb[j], acc[i][j]);
        }
        __syncthreads();
    }

    const int row = blockIdx.y * BM + ty * TM;
    const int col = blockIdx.x * BN + tx * TN;
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j)
            C[(size_t)(row + i) * N + col + j] = acc[i][j];
}

int main()
{
    const int M = 384, N = 320, K = 160;
    std::vector<float> A((size_t)M * K), B((size_t)K * N), C((size_t)M * N);
    for (size_t i = 0; i < A.size(); ++i) A[i] = (i * 7 % 13) * 0.5f;
    for (size_t i = 0; i < B.size(); ++i) B[i] = (i * 5 % 11) * 0.5f - 2.f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    gemmReg<128, 64, 16, 8, 4><<<dim3(N / 64, M / 128), 256>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    double err = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0;
            for (int p = 0; p < K; ++p) s += (double)A[(size_t)i * K + p] * B[(size_t)p * N + j];
            err = std::fmax(err, std::fabs(s - C[(size_t)i * N + j]));
        }
    std::printf("max abs error: %g\n", err);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return err > 1e-2;
}
