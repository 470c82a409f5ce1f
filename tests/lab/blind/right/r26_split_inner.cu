// Split-K: the k range is split over blockIdx.z, the partial sums meet with atomicAdd.
// C has to be zeroed first!
#include <iostream>
#include <vector>
#include <cmath>
#include <cstdlib>

const int TS = 16;

__global__ void splitKMatmul(const float* A, const float* B, float* C, int M, int N, int K, int chunk)
{
    __shared__ float As[TS][TS];
    __shared__ float Bs[TS][TS];

    int row = blockIdx.y * TS + threadIdx.y;
    int col = blockIdx.x * TS + threadIdx.x;

    int kBegin = blockIdx.z * chunk;
    int kEnd = kBegin + chunk;
    if (kEnd > K) kEnd = K;

    float acc = 0.f;
    for (int k0 = kBegin; k0 < kEnd; k0 += TS) {
        int ka = k0 + threadIdx.x;
        int kb = k0 + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = (row < M && ka < kEnd) ? A[row * K + ka] : 0.f;
        Bs[threadIdx.y][threadIdx.x] = (kb < kEnd && col < N) ? B[kb * N + col] : 0.f;
        __syncthreads();
        for (int k = 0; k < TS; ++k)
            acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }

    if (row < M && col < N)
        atomicAdd(&C[row * N + col], acc);
}

int main()
{
    const int M = 40, N = 50, K = 599;
    const int splits = 4;
    const int chunk = (K + splits - 1) / splits;

    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (auto& x : A) x = (rand() % 200 - 100) / 100.f;
    for (auto& x : B) x = (rand() % 200 - 100) / 100.f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * 4);
    cudaMalloc(&dB, B.size() * 4);
    cudaMalloc(&dC, C.size() * 4);
    cudaMemcpy(dA, A.data(), A.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * 4, cudaMemcpyHostToDevice);
    cudaMemset(dC, 0, C.size() * 4);

    dim3 block(TS, TS);
    dim3 grid((N + TS - 1) / TS, (M + TS - 1) / TS, splits);
    splitKMatmul<<<grid, block>>>(dA, dB, dC, M, N, K, chunk);
    cudaMemcpy(C.data(), dC, C.size() * 4, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0;
            for (int k = 0; k < K; ++k) s += double(A[i * K + k]) * B[k * N + j];
            if (!(std::abs(s - C[i * N + j]) <= 1e-3)) wrong++;
        }
    std::cout << (wrong ? "BAD" : "OK") << "\n";
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return wrong ? 1 : 0;
}
