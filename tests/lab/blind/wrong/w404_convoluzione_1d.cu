// Convoluzione 1-D con filtro in memoria costante
//   uscita[i] = somma_{d=-RAGGIO..RAGGIO} filtro[d+RAGGIO] * ingresso[i+d]
// fuori dal vettore l'ingresso vale zero. n >= 1 qualsiasi.
#include <cuda_runtime.h>

#define RAGGIO 64
#define BLOCCO 128

__constant__ float filtro[2 * RAGGIO + 1];

__global__ void convoluzione(const float *ingresso, float *uscita, int n)
{
    extern __shared__ float zona[];      // BLOCCO elementi piu' i due bordi

    int inizio = blockIdx.x * BLOCCO - RAGGIO;

    for (int p = threadIdx.x; p < BLOCCO + 2 * RAGGIO; p += BLOCCO) {
        int g = inizio + p;
        zona[p] = (g >= 0 && g < n) ? ingresso[g] : 0.0f;
    }
    __syncthreads();

    int i = blockIdx.x * BLOCCO + threadIdx.x;
    if (i < n) {
        float s = 0.0f;
        for (int d = 0; d <= 2 * RAGGIO; ++d)
            s += filtro[d] * zona[threadIdx.x + d];
        uscita[i] = s;
    }
}

bool eseguiConvoluzione(const float *h_filtro, const float *d_ingresso, float *d_uscita, int n)
{
    if (cudaMemcpyToSymbol(filtro, h_filtro, sizeof(filtro)) != cudaSuccess)
        return false;

    const int blocchi = (n + BLOCCO - 1) / BLOCCO;
    const size_t condivisa = (BLOCCO + RAGGIO) * sizeof(float);

    convoluzione<<<blocchi, BLOCCO, condivisa>>>(d_ingresso, d_uscita, n);
    return cudaGetLastError() == cudaSuccess;
}
