// Лабораторная №1. Умножение матриц, простой вариант (без разделяемой памяти)
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define PROVERKA(v) do { cudaError_t o = (v); if (o != cudaSuccess) {            \
    fprintf(stderr, "Ошибка CUDA: %s, строка %d\n", cudaGetErrorString(o), __LINE__); \
    exit(1); } } while (0)

__global__ void umnozhit(const float *A, const float *B, float *C, int M, int K, int N)
{
    int stolbets = blockIdx.x * blockDim.x + threadIdx.x;
    int stroka = blockIdx.y * blockDim.y + threadIdx.y;
    if (stroka < M && stolbets < N) {
        float s = 0.f;
        for (int k = 0; k < K; ++k)
            s += A[stroka * K + k] * B[k * N + stolbets];
        C[stroka * N + stolbets] = s;
    }
}

int main()
{
    const int M = 120, K = 64, N = 400;
    float *A = new float[M * K], *B = new float[K * N], *C = new float[M * N];
    for (int i = 0; i < M * K; ++i) A[i] = 0.5f + i % 10;
    for (int i = 0; i < K * N; ++i) B[i] = 1.5f + i % 8;

    float *dA, *dB, *dC;
    PROVERKA(cudaMalloc(&dA, M * K * sizeof(float)));
    PROVERKA(cudaMalloc(&dB, K * N * sizeof(float)));
    PROVERKA(cudaMalloc(&dC, M * N * sizeof(float)));
    PROVERKA(cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice));
    PROVERKA(cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice));
    PROVERKA(cudaMemset(dC, 0, M * N * sizeof(float)));

    dim3 blok(32, 8);
    dim3 setka((M + blok.x - 1) / blok.x, (N + blok.y - 1) / blok.y);
    umnozhit<<<setka, blok>>>(dA, dB, dC, M, K, N);
    PROVERKA(cudaGetLastError());
    PROVERKA(cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost));

    int oshibok = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0.f;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            if (fabsf(s - C[i * N + j]) > 1e-3f * s) ++oshibok;
        }
    printf("ошибок: %d\n", oshibok);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    delete[] A; delete[] B; delete[] C;
    return 0;
}
