// Übung 5: Skalarprodukt in Kacheln
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOCK 256

__global__ void skalarprodukt(const float *x, const float *y, float *ergebnis, int n)
{
    __shared__ float kachel[BLOCK];
    int t = threadIdx.x;
    int i = blockIdx.x * BLOCK + t;

    // ausserhalb mit Null auffüllen
    kachel[t] = (i < n) ? x[i] * y[i] : 0.0f;
    __syncthreads();

    for (int schritt = BLOCK / 2; schritt > 0; schritt /= 2) {
        if (t < schritt)
            kachel[t] += kachel[t + schritt];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(ergebnis, kachel[0]);
}

int main(void)
{
    int n = 100003;
    size_t bytes = n * sizeof(float);
    float *x, *y, *erg;

    if (cudaMallocManaged(&x, bytes) != cudaSuccess ||
        cudaMallocManaged(&y, bytes) != cudaSuccess ||
        cudaMallocManaged(&erg, sizeof(float)) != cudaSuccess) {
        printf("kein Speicher\n");
        return 1;
    }

    double soll = 0.0;
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 13) * 0.1f;
        y[i] = (float)(i % 17) * 0.1f;
        soll += (double)x[i] * y[i];
    }
    *erg = 0.0f;

    skalarprodukt<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, erg, n);
    cudaError_t fehler = cudaDeviceSynchronize();
    if (fehler != cudaSuccess) {
        printf("Fehler: %s\n", cudaGetErrorString(fehler));
        return 1;
    }

    printf("GPU %f  CPU %f\n", *erg, soll);
    printf("%s\n", fabs(*erg - soll) < 1e-3 * soll ? "richtig" : "falsch");

    cudaFree(x);
    cudaFree(y);
    cudaFree(erg);
    return 0;
}
