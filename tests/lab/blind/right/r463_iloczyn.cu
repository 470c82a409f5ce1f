// Iloczyn skalarny w jednym uruchomieniu: ostatni blok dodaje sumy czesciowe.
#include <cstdio>
#include <cuda_runtime.h>

#define WATKI 256
#define MAX_BLOKI 64

__device__ unsigned int licznik = 0;

__device__ float suma_bloku(float v, float *pam)
{
    const int t = threadIdx.x;
    pam[t] = v;
    __syncthreads();
    for (int krok = WATKI / 2; krok >= 1; krok >>= 1) {
        if (t < krok) pam[t] += pam[t + krok];
        __syncthreads();
    }
    return pam[0];
}

__global__ void iloczyn(const float *a, const float *b, int n, float *czesc, float *wynik)
{
    __shared__ float pam[WATKI];
    __shared__ bool ostatni;

    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        v += a[i] * b[i];
    v = suma_bloku(v, pam);

    if (threadIdx.x == 0) {
        czesc[blockIdx.x] = v;
        __threadfence();
        unsigned int numer = atomicAdd(&licznik, 1u);
        ostatni = (numer == gridDim.x - 1);
    }
    __syncthreads();

    if (ostatni) {          // ten sam wynik dla calego bloku
        __threadfence();
        const volatile float *vc = czesc;
        float w = 0.0f;
        for (unsigned int i = threadIdx.x; i < gridDim.x; i += WATKI)
            w += vc[i];
        w = suma_bloku(w, pam);
        if (threadIdx.x == 0) {
            *wynik = w;
            licznik = 0;    // gotowe na nastepne uruchomienie
        }
    }
}

int main()
{
    const int n = 100003;
    float *a, *b, *czesc, *wynik;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    cudaMallocManaged(&czesc, MAX_BLOKI * sizeof(float));
    cudaMallocManaged(&wynik, sizeof(float));
    for (int i = 0; i < n; i++) { a[i] = 1.0f; b[i] = (i & 1) ? 2.0f : -1.0f; }

    int bloki = (n + WATKI - 1) / WATKI;
    if (bloki > MAX_BLOKI) bloki = MAX_BLOKI;
    iloczyn<<<bloki, WATKI>>>(a, b, n, czesc, wynik);
    cudaDeviceSynchronize();
    printf("wynik = %f\n", *wynik);
    cudaFree(a); cudaFree(b); cudaFree(czesc); cudaFree(wynik);
    return 0;
}
