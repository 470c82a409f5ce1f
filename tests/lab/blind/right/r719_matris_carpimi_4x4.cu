// Matris çarpımı: her iş parçacığı C'nin 4x4'lük parçasını hesaplar.
// C (M x N) = A (M x K) * B (K x N). Boyutlar serbest.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int BLOK = 64;    // C bloğunun kenarı
constexpr int DERIN = 8;    // bir adımda K yönünde okunan miktar
constexpr int IS = 4;       // iş parçacığı başına kenar
constexpr int ADET = (BLOK / IS) * (BLOK / IS);   // 256

__global__ void __launch_bounds__(ADET)
carp(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float a[DERIN][BLOK];   // transpoze saklanır
    __shared__ float b[DERIN][BLOK];

    const int id = threadIdx.x;
    const int sutun = (id % (BLOK / IS)) * IS;
    const int satir = (id / (BLOK / IS)) * IS;
    const int satir0 = blockIdx.y * BLOK;
    const int sutun0 = blockIdx.x * BLOK;

    float t[IS][IS] = {};

    for (int k0 = 0; k0 < K; k0 += DERIN) {
        for (int e = id; e < BLOK * DERIN; e += ADET) {
            int r = e / DERIN, k = e % DERIN;
            a[k][r] = (satir0 + r < M && k0 + k < K) ? A[(satir0 + r) * K + k0 + k] : 0.f;
        }
        for (int e = id; e < BLOK * DERIN; e += ADET) {
            int k = e / BLOK, s = e % BLOK;
            b[k][s] = (sutun0 + s < N && k0 + k < K) ? B[(k0 + k) * N + sutun0 + s] : 0.f;
        }
        __syncthreads();

        for (int k = 0; k < DERIN; ++k) {
            float x[IS], y[IS];
            for (int i = 0; i < IS; ++i) x[i] = a[k][satir + i];
            for (int j = 0; j < IS; ++j) y[j] = b[k][sutun + j];
            for (int i = 0; i < IS; ++i)
                for (int j = 0; j < IS; ++j)
                    t[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }

    for (int i = 0; i < IS; ++i) {
        int r = satir0 + satir + i;
        if (r >= M) break;
        for (int j = 0; j < IS; ++j) {
            int s = sutun0 + sutun + j;
            if (s < N) C[r * N + s] = t[i][j];
        }
    }
}

int main(int argc, char** argv)
{
    int M = argc > 1 ? std::atoi(argv[1]) : 130;
    int N = argc > 2 ? std::atoi(argv[2]) : 70;
    int K = argc > 3 ? std::atoi(argv[3]) : 45;

    std::vector<float> A(M * K), B(K * N), C(M * N, -1.f);
    for (size_t i = 0; i < A.size(); ++i) A[i] = float(int(i % 9) - 4);
    for (size_t i = 0; i < B.size(); ++i) B[i] = float(int(i % 7) - 3);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dC, C.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 izgara((N + BLOK - 1) / BLOK, (M + BLOK - 1) / BLOK);
    carp<<<izgara, ADET>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    // küçük tamsayılar: sonuç tam eşit olmalı
    int hata = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            if (s != C[i * N + j]) ++hata;
        }
    std::printf("hata sayisi: %d\n", hata);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return hata;
}
