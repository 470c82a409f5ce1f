// bench_sgemm: register-blocked SGEMM, row-major, C = A * B
// usage: ./bench_sgemm [M N K]
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

template <int BM, int BN, int BK, int R>
__global__ void sgemm(const float* __restrict__ A, const float* __restrict__ B,
                      float* __restrict__ C, int M, int N, int K)
{
    __shared__ float As[BM][BK];
    __shared__ float Bs[BK][BN];

    constexpr int TX = BN / R, TY = BM / R;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * TX + tx;
    const int rowBase = blockIdx.y * BM;
    const int colBase = blockIdx.x * BN;

    float acc[R][R] = {{0.f}};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int i = tid; i < BM * BK; i += TX * TY) {
            int r = i / BK, c = i % BK;
            int gr = rowBase + r, gc = k0 + c;
            As[r][c] = (gr < M && gc < K) ? A[(size_t)gr * K + gc] : 0.f;
        }
        for (int i = tid; i < BK * BN; i += TX * TY) {
            int r = i / BN, c = i % BN;
            int gr = k0 + r, gc = colBase + c;
            Bs[r][c] = (gr < K && gc < N) ? B[(size_t)gr * N + gc] : 0.f;
        }
        __syncthreads();

        for (int k = 0; k < BK; ++k) {
            float b[R];
            for (int j = 0; j < R; ++j) b[j] = Bs[k][tx + j * TX];
            for (int i = 0; i < R; ++i) {
                float a = As[ty + i * TY][k];
                for (int j = 0; j < R; ++j) acc[i][j] = fmaf(a, b[j], acc[i][j]);
            }
        }
        __syncthreads();
    }

    for (int i = 0; i < R; ++i)
        for (int j = 0; j < R; ++j) {
            int r = rowBase + ty + i * TY, c = colBase + tx + j * TX;
            if (r < M && c < N) C[(size_t)r * N + c] = acc[i][j];
        }
}

int main(int argc, char** argv)
{
    int M = 512, N = 512, K = 512;
    if (argc == 4) { M = atoi(argv[1]); N = atoi(argv[2]); K = atoi(argv[3]); }

    std::vector<float> A((size_t)M * K), B((size_t)K * N), C((size_t)M * N);
    for (auto& v : A) v = rand() / (float)RAND_MAX - 0.5f;
    for (auto& v : B) v = rand() / (float)RAND_MAX - 0.5f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    constexpr int BM = 64, BN = 64, BK = 16, R = 4;
    dim3 block(BN / R, BM / R);
    dim3 grid((M + BM - 1) / BM, (N + BN - 1) / BN);

    cudaEvent_t e0, e1;
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    cudaEventRecord(e0);
    sgemm<BM, BN, BK, R><<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaEventRecord(e1);
    cudaEventSynchronize(e1);
    float ms = 0.f;
    cudaEventElapsedTime(&ms, e0, e1);
    printf("%d x %d x %d: %.3f ms, %.1f GFLOP/s\n", M, N, K, ms, 2e-6 * M * N * K / ms);

    // spot check
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int s = 0; s < 1000; ++s) {
        int r = rand() % M, c = rand() % N;
        double ref = 0;
        for (int k = 0; k < K; ++k) ref += (double)A[(size_t)r * K + k] * B[(size_t)k * N + c];
        if (!(std::fabs(ref - C[(size_t)r * N + c]) < 1e-3)) ++bad;
    }
    printf("%s\n", bad ? "FAILED" : "passed");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bad != 0;
}
