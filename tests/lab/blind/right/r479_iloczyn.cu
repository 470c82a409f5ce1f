// Iloczyn skalarny: ostatni konczacy blok sumuje wyniki czesciowe.
// Blok: potega dwojki, najwyzej 512 watkow; pamiec dzielona: blockDim.x * sizeof(float).
// Tablica czesci ma gridDim.x elementow.
#include <cuda_runtime.h>

__device__ unsigned int licznik = 0;

__device__ void zsumuj(volatile float *pam)
{
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        __syncthreads();
        if (threadIdx.x < s)
            pam[threadIdx.x] = pam[threadIdx.x] + pam[threadIdx.x + s];
    }
    __syncthreads();
}

__global__ void iloczyn(const float *x, const float *y, int n,
                        volatile float *czesci, float *wynik)
{
    extern __shared__ float pam[];
    __shared__ bool ostatni;

    float suma = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        suma += x[i] * y[i];
    pam[threadIdx.x] = suma;
    zsumuj(pam);

    if (threadIdx.x == 0) {
        czesci[blockIdx.x] = pam[0];
        __threadfence();
        unsigned int bilet = atomicAdd(&licznik, 1u);
        ostatni = (bilet == gridDim.x - 1);
    }
    __syncthreads();

    if (ostatni) {
        __threadfence();
        suma = 0.0f;
        for (unsigned int b = threadIdx.x; b < gridDim.x; b += blockDim.x)
            suma += czesci[b];
        pam[threadIdx.x] = suma;
        zsumuj(pam);
        if (threadIdx.x == 0) {
            *wynik = pam[0];
            licznik = 0;      // gotowe na nastepne wywolanie
        }
    }
}

void policz(const float *x, const float *y, int n, float *czesci, float *wynik, int bloki)
{
    const int watki = 256;
    iloczyn<<<bloki, watki, watki * sizeof(float)>>>(x, y, n, czesci, wynik);
}
