// Множення матриць із розбиттям суми по K між блоками (gridDim.z частин).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

static const int P = 16;

__global__ void mnozh(const float *A, const float *B, float *C, int M, int N, int K, int krok)
{
    __shared__ float sA[P][P], sB[P][P];
    int ryad = blockIdx.y * P + threadIdx.y;
    int stovp = blockIdx.x * P + threadIdx.x;
    int vid = blockIdx.z * krok;
    int doo = min(vid + krok, K);
    float s = 0.f;
    for (int k = vid; k < doo; k += P) {
        int ka = k + threadIdx.x, kb = k + threadIdx.y;
        sA[threadIdx.y][threadIdx.x] = (ryad < M && ka < doo) ? A[ryad * K + ka] : 0.f;
        sB[threadIdx.y][threadIdx.x] = (stovp < N && kb < doo) ? B[kb * N + stovp] : 0.f;
        __syncthreads();
        for (int q = 0; q < P; q++)
            s += sA[threadIdx.y][q] * sB[q][threadIdx.x];
        __syncthreads();
    }
    if (ryad < M && stovp < N)
        atomicAdd(&C[ryad * N + stovp], s);
}

int main()
{
    const int M = 70, N = 90, K = 1000, chastyn = 6, povtoriv = 5;
    const int krok = (K + chastyn - 1) / chastyn;
    std::vector<float> a(M * K), b(K * N), c(M * N);
    for (auto &v : a) v = rand() / (float)RAND_MAX - 0.5f;
    for (auto &v : b) v = rand() / (float)RAND_MAX - 0.5f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, a.size() * sizeof(float));
    cudaMalloc(&dB, b.size() * sizeof(float));
    cudaMalloc(&dC, c.size() * sizeof(float));
    cudaMemcpy(dA, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 blok(P, P), sitka((N + P - 1) / P, (M + P - 1) / P, chastyn);
    cudaEvent_t t0, t1;
    cudaEventCreate(&t0);
    cudaEventCreate(&t1);
    cudaMemset(dC, 0, c.size() * sizeof(float));
    cudaEventRecord(t0);
    for (int r = 0; r < povtoriv; r++) {
        mnozh<<<sitka, blok>>>(dA, dB, dC, M, N, K, krok);
    }
    cudaEventRecord(t1);
    cudaEventSynchronize(t1);
    float ms = 0;
    cudaEventElapsedTime(&ms, t0, t1);
    printf("середній час: %.4f мс\n", ms / povtoriv);

    cudaMemcpy(c.data(), dC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double pohybka = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double e = 0;
            for (int k = 0; k < K; k++) e += (double)a[i * K + k] * b[k * N + j];
            pohybka = fmax(pohybka, fabs(e - c[i * N + j]));
        }
    printf("найбільша похибка %g\n", pohybka);
    return pohybka < 1e-3 ? 0 : 1;
}
