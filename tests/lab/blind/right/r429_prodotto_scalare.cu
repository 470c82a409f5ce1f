// Prodotto scalare con shuffle nel warp e un'atomicAdd per blocco.
// Funziona per ogni n >= 0; i blocchi hanno un numero di thread multiplo di 32.
// (atomicAdd su double: serve sm_60 o successiva)
#include <cstdio>
#include <cuda_runtime.h>

__inline__ __device__ double sommaWarp(double v)
{
    for (int passo = 16; passo >= 1; passo >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, passo);
    return v;                       // valido nella corsia 0
}

__global__ void prodottoScalare(const double *u, const double *v, size_t n, double *risultato)
{
    __shared__ double parziali[32];

    int corsia = threadIdx.x % 32;
    int warp   = threadIdx.x / 32;

    double somma = 0.0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        somma += u[i] * v[i];

    somma = sommaWarp(somma);
    if (corsia == 0)
        parziali[warp] = somma;
    __syncthreads();

    if (warp == 0) {
        int quanti = blockDim.x / 32;
        somma = corsia < quanti ? parziali[corsia] : 0.0;
        somma = sommaWarp(somma);
        if (corsia == 0)
            atomicAdd(risultato, somma);
    }
}

int main()
{
    const size_t n = 100003;
    double *u, *v, *ris;
    cudaMallocManaged(&u, n * sizeof(double));
    cudaMallocManaged(&v, n * sizeof(double));
    cudaMallocManaged(&ris, sizeof(double));
    for (size_t i = 0; i < n; ++i) {
        u[i] = 1.0 + (i % 10);
        v[i] = 0.5 * (i % 4);
    }
    *ris = 0.0;

    prodottoScalare<<<40, 352>>>(u, v, n, ris);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        printf("errore CUDA\n");
        return 1;
    }

    double atteso = 0.0;
    for (size_t i = 0; i < n; ++i) atteso += u[i] * v[i];
    printf("ottenuto %.6f, atteso %.6f\n", *ris, atteso);

    cudaFree(u);
    cudaFree(v);
    cudaFree(ris);
    return 0;
}
