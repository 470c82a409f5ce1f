// y = A * x, ein Thread pro Zeile, x wird stueckweise in den Shared Memory geholt
// A: zeilen x spalten, zeilenweise; Groessen beliebig (mindestens 1)
#include <cstdio>
#include <cuda_runtime.h>

#define BREITE 128

__global__ void matVek(const float* A, const float* x, float* y, int zeilen, int spalten)
{
    __shared__ float xs[BREITE];
    int z = blockIdx.x * BREITE + threadIdx.x;

    if (z < zeilen) {
        float s = 0.0f;
        for (int anfang = 0; anfang < spalten; anfang += BREITE) {
            int p = anfang + threadIdx.x;
            xs[threadIdx.x] = p < spalten ? x[p] : 0.0f;
            __syncthreads();

            int laenge = min(BREITE, spalten - anfang);
            for (int q = 0; q < laenge; q++)
                s += A[(size_t)z * spalten + anfang + q] * xs[q];
            __syncthreads();
        }
        y[z] = s;
    }
}

// Testprogramm
int main()
{
    const int zeilen = 1000, spalten = 777;
    float *A, *x, *y;
    cudaMallocManaged(&A, sizeof(float) * zeilen * spalten);
    cudaMallocManaged(&x, sizeof(float) * spalten);
    cudaMallocManaged(&y, sizeof(float) * zeilen);
    for (int i = 0; i < zeilen * spalten; i++) A[i] = i % 3;
    for (int i = 0; i < spalten; i++) x[i] = i % 4;

    matVek<<<(zeilen + BREITE - 1) / BREITE, BREITE>>>(A, x, y, zeilen, spalten);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;

    int schlecht = 0;
    for (int i = 0; i < zeilen; i++) {
        float s = 0;
        for (int j = 0; j < spalten; j++) s += A[i * spalten + j] * x[j];
        if (s != y[i]) schlecht++;
    }
    printf("%d von %d Zeilen falsch\n", schlecht, zeilen);
    cudaFree(A); cudaFree(x); cudaFree(y);
    return 0;
}
