#include <iostream>
#include <vector>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

constexpr int TS = 16;

__global__ void gemmKernel(const float* __restrict__ a, const float* __restrict__ b,
                           float* __restrict__ c, int M, int N, int K)
{
    __shared__ float sa[TS][TS];
    __shared__ float sb[TS][TS];

    const int r = blockIdx.y * TS + threadIdx.y;
    const int q = blockIdx.x * TS + threadIdx.x;
    float acc = 0.0f;

    const int numTiles = (K + TS - 1) / TS;
    for (int t = 0; t < numTiles; t++) {
        const int ka = t * TS + threadIdx.x;
        const int kb = t * TS + threadIdx.y;

        if (r < M && ka < K)
            sa[threadIdx.y][threadIdx.x] = a[r * K + ka];
        if (kb < K && q < N)
            sb[threadIdx.y][threadIdx.x] = b[kb * N + q];
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < TS; k++)
            acc += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    if (r < M && q < N)
        c[r * N + q] = acc;
}

int main(int argc, char** argv)
{
    int M = 300, N = 250, K = 410;
    if (argc == 4) { M = atoi(argv[1]); N = atoi(argv[2]); K = atoi(argv[3]); }

    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (auto& x : A) x = (rand() % 100) / 50.0f - 1.0f;
    for (auto& x : B) x = (rand() % 100) / 50.0f - 1.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(TS, TS);
    dim3 blocks((N + TS - 1) / TS, (M + TS - 1) / TS);
    gemmKernel<<<blocks, threads>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    float worst = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            if (!(std::fabs(s - C[i * N + j]) <= worst)) worst = std::fabs(s - C[i * N + j]);
        }
    std::cout << "max difference " << (worst < 1e-3f ? "small" : "LARGE") << std::endl;
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return 0;
}
