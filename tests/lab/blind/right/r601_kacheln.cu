// Übungsblatt 4, Aufgabe 2
// Matrixmultiplikation mit Kacheln im Shared Memory
// C (m x n) = A (m x k) * B (k x n), zeilenweise gespeichert, m,n,k beliebig >= 1
// (jede Matrix unter 2^31 Elementen, hier wird mit int gerechnet)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define KACHEL 16

#define PRUEFE(x) do { cudaError_t f = (x); if (f != cudaSuccess) { \
    fprintf(stderr, "Fehler: %s (Zeile %d)\n", cudaGetErrorString(f), __LINE__); exit(1); } } while (0)

__global__ void multipliziere(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float kachelA[KACHEL][KACHEL];
    __shared__ float kachelB[KACHEL][KACHEL];

    int zeile  = blockIdx.y * KACHEL + threadIdx.y;
    int spalte = blockIdx.x * KACHEL + threadIdx.x;
    float summe = 0.0f;

    int anzahlKacheln = (k + KACHEL - 1) / KACHEL;
    for (int t = 0; t < anzahlKacheln; ++t) {
        int spalteA = t * KACHEL + threadIdx.x;
        int zeileB  = t * KACHEL + threadIdx.y;

        kachelA[threadIdx.y][threadIdx.x] =
            (zeile < m && spalteA < k) ? A[zeile * k + spalteA] : 0.0f;
        kachelB[threadIdx.y][threadIdx.x] =
            (zeileB < k && spalte < n) ? B[zeileB * n + spalte] : 0.0f;
        __syncthreads();   // alle Werte geladen

        for (int i = 0; i < KACHEL; ++i)
            summe += kachelA[threadIdx.y][i] * kachelB[i][threadIdx.x];
        __syncthreads();   // alle fertig mit Rechnen
    }

    if (zeile < m && spalte < n)
        C[zeile * n + spalte] = summe;
}

int main(int argc, char** argv)
{
    int m = 131, n = 77, k = 205;
    if (argc == 4) { m = atoi(argv[1]); n = atoi(argv[2]); k = atoi(argv[3]); }

    float* hA = (float*)malloc(sizeof(float) * m * k);
    float* hB = (float*)malloc(sizeof(float) * k * n);
    float* hC = (float*)malloc(sizeof(float) * m * n);
    for (int i = 0; i < m * k; ++i) hA[i] = (float)(i % 7) - 3.0f;
    for (int i = 0; i < k * n; ++i) hB[i] = (float)(i % 5) - 2.0f;

    float *dA, *dB, *dC;
    PRUEFE(cudaMalloc(&dA, sizeof(float) * m * k));
    PRUEFE(cudaMalloc(&dB, sizeof(float) * k * n));
    PRUEFE(cudaMalloc(&dC, sizeof(float) * m * n));
    PRUEFE(cudaMemcpy(dA, hA, sizeof(float) * m * k, cudaMemcpyHostToDevice));
    PRUEFE(cudaMemcpy(dB, hB, sizeof(float) * k * n, cudaMemcpyHostToDevice));

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((n + KACHEL - 1) / KACHEL, (m + KACHEL - 1) / KACHEL);
    multipliziere<<<gitter, block>>>(dA, dB, dC, m, n, k);
    PRUEFE(cudaGetLastError());
    PRUEFE(cudaMemcpy(hC, dC, sizeof(float) * m * n, cudaMemcpyDeviceToHost));

    int fehler = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float s = 0.0f;
            for (int p = 0; p < k; ++p) s += hA[i * k + p] * hB[p * n + j];
            if (fabsf(s - hC[i * n + j]) > 1e-3f) ++fehler;
        }
    printf("%d falsche Elemente\n", fehler);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return fehler != 0;
}
