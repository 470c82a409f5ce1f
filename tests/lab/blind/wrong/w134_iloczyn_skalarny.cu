// Iloczyn skalarny: kazdy blok liczy sume czesciowa, reszte dodaje procesor.
#include <stdio.h>
#include <stdlib.h>

#define N 100000
#define WATKI 256

__global__ void iloczyn(const int *a, const int *b, int *czesciowe, int n)
{
    __shared__ int bufor[WATKI];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    bufor[threadIdx.x] = (i < n) ? a[i] * b[i] : 0;
    __syncthreads();

    for (int krok = WATKI / 2; krok > 0; krok /= 2) {
        if (threadIdx.x < krok)
            bufor[threadIdx.x] += bufor[threadIdx.x + krok];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        czesciowe[blockIdx.x] = bufor[0];
}

int main(void)
{
    int bloki = (N + WATKI - 1) / WATKI;
    int *a = (int *)malloc(N * sizeof(int));
    int *b = (int *)malloc(N * sizeof(int));
    int *cz = (int *)malloc(bloki * sizeof(int));
    long wzor = 0;
    for (int i = 0; i < N; i++) {
        a[i] = i % 10 + 1;
        b[i] = i % 7 + 1;
        wzor += a[i] * b[i];
    }

    int *da, *db, *dcz;
    cudaMalloc((void **)&da, N * sizeof(int));
    cudaMalloc((void **)&db, N * sizeof(int));
    cudaMalloc((void **)&dcz, bloki * sizeof(int));
    cudaMemcpy(da, a, N * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, N * sizeof(int), cudaMemcpyHostToDevice);

    iloczyn<<<bloki, WATKI>>>(da, db, dcz, N);
    cudaMemcpy(cz, dcz, bloki * sizeof(int), cudaMemcpyDeviceToHost);

    long suma = 0;
    for (int i = 0; i < N / WATKI; i++)
        suma += cz[i];

    printf("wynik: %ld, oczekiwano: %ld\n", suma, wzor);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dcz);
    free(a);
    free(b);
    free(cz);
    return suma == wzor ? 0 : 1;
}
