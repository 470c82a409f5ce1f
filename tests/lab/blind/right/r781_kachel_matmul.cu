// Aufgabe 3: Matrixprodukt C = A * B mit Kacheln im Shared Memory
// A ist m x k, B ist k x n, C ist m x n, alles zeilenweise gespeichert.
// Masse hoechstens 10000.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define KACHEL 16

__global__ void matMulKachel(const float *A, const float *B, float *C,
                             int m, int k, int n)
{
    __shared__ float sA[KACHEL][KACHEL];
    __shared__ float sB[KACHEL][KACHEL];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int zeile  = blockIdx.y * KACHEL + ty;
    int spalte = blockIdx.x * KACHEL + tx;

    float summe = 0.0f;
    int anzahl = (k + KACHEL - 1) / KACHEL;

    for (int t = 0; t < anzahl; ++t) {
        int ka = t * KACHEL + tx;
        int kb = t * KACHEL + ty;

        // Rand mit Nullen auffuellen
        sA[ty][tx] = (zeile < m && ka < k) ? A[zeile * k + ka] : 0.0f;
        sB[ty][tx] = (kb < k && spalte < n) ? B[kb * n + spalte] : 0.0f;
        __syncthreads();

        for (int i = 0; i < KACHEL; ++i)
            summe += sA[ty][i] * sB[i][tx];
        __syncthreads();
    }

    if (zeile < m && spalte < n)
        C[zeile * n + spalte] = summe;
}

int main(int argc, char **argv)
{
    int m = 500, k = 333, n = 271;
    if (argc == 4) {
        m = atoi(argv[1]);
        k = atoi(argv[2]);
        n = atoi(argv[3]);
    }
    if (m < 1 || k < 1 || n < 1 || m > 10000 || k > 10000 || n > 10000) {
        fprintf(stderr, "Masse muessen zwischen 1 und 10000 liegen\n");
        return 1;
    }

    size_t bytesA = sizeof(float) * m * k;
    size_t bytesB = sizeof(float) * k * n;
    size_t bytesC = sizeof(float) * m * n;

    float *hA = (float *)malloc(bytesA);
    float *hB = (float *)malloc(bytesB);
    float *hC = (float *)malloc(bytesC);
    for (int i = 0; i < m * k; i++) hA[i] = (float)(rand() % 100) / 100.0f;
    for (int i = 0; i < k * n; i++) hB[i] = (float)(rand() % 100) / 100.0f;

    float *dA, *dB, *dC;
    cudaMalloc(&dA, bytesA);
    cudaMalloc(&dB, bytesB);
    cudaMalloc(&dC, bytesC);
    cudaMemcpy(dA, hA, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, bytesB, cudaMemcpyHostToDevice);

    dim3 block(KACHEL, KACHEL);
    dim3 grid((n + KACHEL - 1) / KACHEL, (m + KACHEL - 1) / KACHEL);
    matMulKachel<<<grid, block>>>(dA, dB, dC, m, k, n);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(err));
        return 1;
    }
    cudaMemcpy(hC, dC, bytesC, cudaMemcpyDeviceToHost);

    // letztes Element auf der CPU nachrechnen
    double ref = 0.0;
    for (int i = 0; i < k; i++)
        ref += (double)hA[(m - 1) * k + i] * hB[i * n + (n - 1)];
    printf("GPU %f  CPU %f\n", hC[m * n - 1], ref);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
