// Matris carpimi: her is parcacigi 2x2 sonuc hesaplar, blok 16x16, karo 32x32
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define BLOK 16
#define KARO 32
#define DERINLIK 16

__device__ float oku(const float *m, int satir, int sutun, int satirSayisi, int sutunSayisi)
{
    if (satir < satirSayisi && sutun < sutunSayisi)
        return m[satir * sutunSayisi + sutun];
    return 0.0f;
}

__device__ void yaz(float *m, int satir, int sutun, int satirSayisi, int sutunSayisi, float deger)
{
    if (satir < satirSayisi && sutun < sutunSayisi)
        m[satir * sutunSayisi + sutun] = deger;
}

__global__ void carp(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float As[KARO][DERINLIK];
    __shared__ float Bs[DERINLIK][KARO];

    int tx = threadIdx.x, ty = threadIdx.y;
    int satir0 = blockIdx.y * KARO, sutun0 = blockIdx.x * KARO;

    float t00 = 0, t01 = 0, t10 = 0, t11 = 0;

    for (int k = 0; k < K; k += DERINLIK) {
        As[ty][tx]        = oku(A, satir0 + ty, k + tx, M, K);
        As[ty + BLOK][tx] = oku(A, satir0 + ty + BLOK, k + tx, M, K);
        Bs[ty][tx]        = oku(B, k + ty, sutun0 + tx, K, N);
        Bs[ty][tx + BLOK] = oku(B, k + ty, sutun0 + tx + BLOK, K, N);
        __syncthreads();

        for (int i = 0; i < DERINLIK; i++) {
            float a0 = As[ty][i], a1 = As[ty + BLOK][i];
            float b0 = Bs[i][tx], b1 = Bs[i][tx + BLOK];
            t00 += a0 * b0;
            t01 += a0 * b1;
            t10 += a1 * b0;
            t11 += a1 * b1;
        }
        __syncthreads();
    }

    yaz(C, satir0 + ty, sutun0 + tx, M, N, t00);
    yaz(C, satir0 + ty, sutun0 + tx + BLOK, M, N, t01);
    yaz(C, satir0 + ty + BLOK, sutun0 + tx, M, N, t10);
    yaz(C, satir0 + ty + BLOK, sutun0 + tx + BLOK, M, N, t11);
}

int main()
{
    int M = 61, K = 35, N = 99;
    std::vector<float> A(M * K), B(K * N), C(M * N);
    for (float &v : A) v = (rand() % 1000) / 1000.0f;
    for (float &v : B) v = (rand() % 1000) / 1000.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, sizeof(float) * A.size());
    cudaMalloc(&dB, sizeof(float) * B.size());
    cudaMalloc(&dC, sizeof(float) * C.size());
    cudaMemcpy(dA, A.data(), sizeof(float) * A.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), sizeof(float) * B.size(), cudaMemcpyHostToDevice);

    dim3 blok(BLOK, BLOK);
    dim3 izgara((N + KARO - 1) / KARO, (M + KARO - 1) / KARO);
    carp<<<izgara, blok>>>(dA, dB, dC, M, K, N);
    cudaMemcpy(C.data(), dC, sizeof(float) * C.size(), cudaMemcpyDeviceToHost);

    int hata = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float t = 0;
            for (int k = 0; k < K; k++) t += A[i * K + k] * B[k * N + j];
            if (fabsf(t - C[i * N + j]) > 1e-3f) hata++;
        }
    printf("hata sayisi: %d\n", hata);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return hata > 0;
}
