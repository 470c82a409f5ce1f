// Ödev 2: half girişli, float toplamlı matris çarpımı (C = A * B, satır öncelikli)
// 16x16 iş parçacığı, her biri 2x2 sonuç hesaplar => blok başına 32x32 sonuç.
// Kullanım: ./gemm M N K   (hepsi pozitif, herhangi bir değer)
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HATA(x) do { cudaError_t h = (x); if (h != cudaSuccess) { \
    printf("CUDA hatası (satır %d): %s\n", __LINE__, cudaGetErrorString(h)); exit(1); } } while (0)

constexpr int DOSEME = 32;
constexpr int IP = 16;

__global__ void halfGemm(const __half *A, const __half *B, float *C, int M, int N, int K)
{
    __shared__ float a[DOSEME][IP + 1];
    __shared__ float b[IP][DOSEME];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int satir0 = blockIdx.y * DOSEME;
    const int sutun0 = blockIdx.x * DOSEME;
    float t[2][2] = {{0.f, 0.f}, {0.f, 0.f}};

    for (int k0 = 0; k0 < K; k0 += IP) {
        for (int h = 0; h < 2; h++) {
            int r = satir0 + ty + h * IP;
            int s = sutun0 + tx + h * IP;
            a[ty + h * IP][tx] = (r < M && k0 + tx < K) ? __half2float(A[(size_t)r * K + k0 + tx]) : 0.f;
            b[ty][tx + h * IP] = (k0 + ty < K && s < N) ? __half2float(B[(size_t)(k0 + ty) * N + s]) : 0.f;
        }
        __syncthreads();
        for (int p = 0; p < IP; p++) {
            float a0 = a[ty][p], a1 = a[ty + IP][p];
            float b0 = b[p][tx], b1 = b[p][tx + IP];
            t[0][0] += a0 * b0;
            t[0][1] += a0 * b1;
            t[1][0] += a1 * b0;
            t[1][1] += a1 * b1;
        }
        __syncthreads();
    }

    for (int u = 0; u < 2; u++)
        for (int v = 0; v < 2; v++) {
            int r = satir0 + ty + u * IP, s = sutun0 + tx + v * IP;
            if (r < M && s < N)
                C[(size_t)r * N + s] = t[u][v];
        }
}

inline int bolYukari(int a, int b) { return (a + b - 1) / b; }

int main(int argc, char **argv)
{
    const int M = argc > 1 ? atoi(argv[1]) : 256;
    const int N = argc > 2 ? atoi(argv[2]) : 256;
    const int K = argc > 3 ? atoi(argv[3]) : 128;

    std::vector<__half> A((size_t)M * K), B((size_t)K * N);
    std::vector<float> C((size_t)M * N, 0.f);
    for (auto &v : A) v = __float2half((rand() % 17 - 8) / 8.0f);
    for (auto &v : B) v = __float2half((rand() % 17 - 8) / 8.0f);

    __half *dA, *dB;
    float *dC;
    HATA(cudaMalloc(&dA, A.size() * sizeof(__half)));
    HATA(cudaMalloc(&dB, B.size() * sizeof(__half)));
    HATA(cudaMalloc(&dC, C.size() * sizeof(float)));
    HATA(cudaMemcpy(dA, A.data(), A.size() * sizeof(__half), cudaMemcpyHostToDevice));
    HATA(cudaMemcpy(dB, B.data(), B.size() * sizeof(__half), cudaMemcpyHostToDevice));

    dim3 blok(IP, IP);
    dim3 izgara(bolYukari(M, DOSEME), bolYukari(N, DOSEME));
    halfGemm<<<izgara, blok>>>(dA, dB, dC, M, N, K);
    HATA(cudaGetLastError());
    HATA(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost));

    float enBuyuk = 0.f;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float ref = 0.f;
            for (int p = 0; p < K; p++)
                ref += __half2float(A[(size_t)i * K + p]) * __half2float(B[(size_t)p * N + j]);
            enBuyuk = fmaxf(enBuyuk, fabsf(ref - C[(size_t)i * N + j]));
        }
    printf("%d x %d x %d: en büyük fark %g\n", M, N, K, enBuyuk);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return enBuyuk > 1e-3f;
}
