// Übung 3, Aufgabe 2: Matrixmultiplikation mit Kacheln im Shared Memory
// Gruppe 14
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define KACHEL 16

// C (zeilen x spalten) = A (zeilen x innen) * B (innen x spalten)
__global__ void matrixMulKachel(const float *A, const float *B, float *C,
                                int zeilen, int innen, int spalten)
{
    __shared__ float kachelA[KACHEL][KACHEL];
    __shared__ float kachelB[KACHEL][KACHEL];

    int zeile  = blockIdx.y * KACHEL + threadIdx.y;
    int spalte = blockIdx.x * KACHEL + threadIdx.x;

    float summe = 0.0f;
    int anzahlKacheln = (innen + KACHEL - 1) / KACHEL;

    for (int t = 0; t < anzahlKacheln; t++) {
        int ak = t * KACHEL + threadIdx.x;   // Spalte in A
        int bk = t * KACHEL + threadIdx.y;   // Zeile in B

        // am Rand mit Null auffuellen
        if (zeile < zeilen && ak < innen)
            kachelA[threadIdx.y][threadIdx.x] = A[zeile * innen + ak];
        else
            kachelA[threadIdx.y][threadIdx.x] = 0.0f;

        if (bk < innen && spalte < spalten)
            kachelB[threadIdx.y][threadIdx.x] = B[bk * spalten + spalte];
        else
            kachelB[threadIdx.y][threadIdx.x] = 0.0f;

        __syncthreads();

        for (int k = 0; k < KACHEL; k++)
            summe += kachelA[threadIdx.y][k] * kachelB[k][threadIdx.x];

        __syncthreads();   // erst weiter wenn alle fertig gerechnet haben
    }

    if (zeile < zeilen && spalte < spalten)
        C[zeile * spalten + spalte] = summe;
}

int main()
{
    const int zeilen = 301, innen = 187, spalten = 250;
    size_t bytesA = (size_t)zeilen * innen * sizeof(float);
    size_t bytesB = (size_t)innen * spalten * sizeof(float);
    size_t bytesC = (size_t)zeilen * spalten * sizeof(float);

    float *hA = (float*)malloc(bytesA);
    float *hB = (float*)malloc(bytesB);
    float *hC = (float*)malloc(bytesC);

    srand(42);
    for (int i = 0; i < zeilen * innen; i++)  hA[i] = (float)(rand() % 10) / 10.0f;
    for (int i = 0; i < innen * spalten; i++) hB[i] = (float)(rand() % 10) / 10.0f - 0.5f;

    float *dA, *dB, *dC;
    cudaMalloc((void**)&dA, bytesA);
    cudaMalloc((void**)&dB, bytesB);
    cudaMalloc((void**)&dC, bytesC);
    cudaMemcpy(dA, hA, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, bytesB, cudaMemcpyHostToDevice);

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((spalten + KACHEL - 1) / KACHEL, (zeilen + KACHEL - 1) / KACHEL);
    matrixMulKachel<<<gitter, block>>>(dA, dB, dC, zeilen, innen, spalten);
    cudaDeviceSynchronize();

    cudaMemcpy(hC, dC, bytesC, cudaMemcpyDeviceToHost);

    // Vergleich mit der CPU
    int fehler = 0;
    for (int i = 0; i < zeilen; i++)
        for (int j = 0; j < spalten; j++) {
            float s = 0;
            for (int k = 0; k < innen; k++) s += hA[i * innen + k] * hB[k * spalten + j];
            if (!(fabs(s - hC[i * spalten + j]) <= 1e-3)) fehler++;
        }
    printf("%s\n", fehler == 0 ? "OK" : "BAD");

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return fehler == 0 ? 0 : 1;
}
