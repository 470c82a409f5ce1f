// Uebung 3: Matrixprodukt mit Kacheln im gemeinsamen Speicher
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define KACHEL 16

__global__ void matrixProdukt(const float *A, const float *B, float *C,
                              int zeilen, int innen, int spalten)
{
    __shared__ float kachelA[KACHEL][KACHEL];
    __shared__ float kachelB[KACHEL][KACHEL];

    int zeile  = blockIdx.y * KACHEL + threadIdx.y;
    int spalte = blockIdx.x * KACHEL + threadIdx.x;
    float summe = 0.0f;

    int anzahl = (innen + KACHEL - 1) / KACHEL;
    for (int t = 0; t < anzahl; ++t) {
        int ka = t * KACHEL + threadIdx.x;
        int kb = t * KACHEL + threadIdx.y;
        kachelA[threadIdx.y][threadIdx.x] =
            (zeile < zeilen && ka < innen) ? A[zeile * innen + ka] : 0.0f;
        kachelB[threadIdx.y][threadIdx.x] =
            (kb < innen && spalte < spalten) ? B[kb * spalten + spalte] : 0.0f;
        __syncthreads();
        for (int k = 0; k < KACHEL; ++k)
            summe += kachelA[threadIdx.y][k] * kachelB[k][threadIdx.x];
        __syncthreads();
    }
    if (zeile < zeilen && spalte < spalten)
        C[zeile * spalten + spalte] = summe;
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 130;
    int k = argc > 2 ? atoi(argv[2]) : 77;
    int n = argc > 3 ? atoi(argv[3]) : 95;

    float *hA = (float *)malloc(sizeof(float) * m * k);
    float *hB = (float *)malloc(sizeof(float) * k * n);
    float *hC = (float *)malloc(sizeof(float) * m * n);
    for (int i = 0; i < m * k; i++) hA[i] = (float)(i % 7) - 3.0f;
    for (int i = 0; i < k * n; i++) hB[i] = (float)(i % 5) - 2.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, sizeof(float) * m * k);
    cudaMalloc(&dB, sizeof(float) * k * n);
    cudaMalloc(&dC, sizeof(float) * m * n);
    cudaMemcpy(dA, hA, sizeof(float) * m * k, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, sizeof(float) * k * n, cudaMemcpyHostToDevice);

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((n + KACHEL - 1) / KACHEL, (m + KACHEL - 1) / KACHEL);
    matrixProdukt<<<gitter, block>>>(dA, dB, dC, m, k, n);
    cudaMemcpy(hC, dC, sizeof(float) * m * n, cudaMemcpyDeviceToHost);

    double fehler = 0.0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0.0;
            for (int x = 0; x < k; x++) s += hA[i * k + x] * hB[x * n + j];
            fehler = fmax(fehler, fabs(s - hC[i * n + j]));
        }
    printf("groesster Fehler: %g\n", fehler);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
