// Matrixprodukt mit aufgeteilter K-Dimension.
// Jede Scheibe (blockIdx.z) rechnet nur einen Teil der Summe und addiert ihn
// mit atomicAdd auf C. C muss vor jedem Aufruf auf Null stehen.
// Gemessen wird ueber mehrere Wiederholungen.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

static const int BREITE = 32;
static const int WIEDERHOLUNGEN = 5;

__global__ void teilsummen(const float *A, const float *B, float *C,
                           int M, int N, int K, int scheibe)
{
    __shared__ float As[BREITE][BREITE];
    __shared__ float Bs[BREITE][BREITE];

    const int zeile = blockIdx.y * BREITE + threadIdx.y;
    const int spalte = blockIdx.x * BREITE + threadIdx.x;
    const int von = blockIdx.z * scheibe;
    const int bis = min(von + scheibe, K);

    float summe = 0.0f;
    for (int k0 = von; k0 < bis; k0 += BREITE) {
        const int ka = k0 + threadIdx.x;
        const int kb = k0 + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = (zeile < M && ka < bis) ? A[(size_t)zeile * K + ka] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = (kb < bis && spalte < N) ? B[(size_t)kb * N + spalte] : 0.0f;
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < BREITE; ++k)
            summe += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (zeile < M && spalte < N)
        atomicAdd(C + (size_t)zeile * N + spalte, summe);
}

int main(int argc, char **argv)
{
    const int M = argc > 1 ? atoi(argv[1]) : 100;
    const int N = argc > 2 ? atoi(argv[2]) : 90;
    const int K = argc > 3 ? atoi(argv[3]) : 2000;
    const int scheiben = 8;
    const int scheibe = (K + scheiben - 1) / scheiben;

    std::vector<float> A((size_t)M * K), B((size_t)K * N), C((size_t)M * N);
    for (auto &w : A) w = (float)(rand() % 100) / 100.0f;
    for (auto &w : B) w = (float)(rand() % 100) / 100.0f;

    float *gA, *gB, *gC;
    cudaMalloc(&gA, A.size() * sizeof(float));
    cudaMalloc(&gB, B.size() * sizeof(float));
    cudaMalloc(&gC, C.size() * sizeof(float));
    cudaMemcpy(gA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(gB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(BREITE, BREITE);
    dim3 gitter((N + BREITE - 1) / BREITE, (M + BREITE - 1) / BREITE, scheiben);

    cudaEvent_t start, stopp;
    cudaEventCreate(&start);
    cudaEventCreate(&stopp);
    cudaEventRecord(start);
    for (int w = 0; w < WIEDERHOLUNGEN; ++w) {
        cudaMemset(gC, 0, C.size());
        teilsummen<<<gitter, block>>>(gA, gB, gC, M, N, K, scheibe);
    }
    cudaEventRecord(stopp);
    cudaEventSynchronize(stopp);
    float ms = 0.0f;
    cudaEventElapsedTime(&ms, start, stopp);
    cudaMemcpy(C.data(), gC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);

    double fehler = 0.0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            double s = 0.0;
            for (int k = 0; k < K; ++k)
                s += (double)A[(size_t)i * K + k] * B[(size_t)k * N + j];
            fehler = fmax(fehler, fabs(s - C[(size_t)i * N + j]) / (1.0 + fabs(s)));
        }
    printf("%.3f ms je Aufruf, Fehler %.2e: %s\n", ms / WIEDERHOLUNGEN, fehler,
           fehler < 1e-4 ? "richtig" : "FALSCH");
    cudaFree(gA); cudaFree(gB); cudaFree(gC);
    return 0;
}
