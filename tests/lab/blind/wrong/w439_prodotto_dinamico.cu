// Prodotto C = C + A * B in doppia precisione.
// Il lato della piastrella si sceglie a tempo di esecuzione (4, 8, 16 oppure 32).
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void aggiungi_prodotto(const double *A, const double *B, double *C,
                                  int m, int n, int k)
{
    extern __shared__ double memoria[];
    const int lato = blockDim.x;
    double *tA = memoria;
    double *tB = memoria + lato * lato;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int i = blockIdx.y * lato + ty;
    const int j = blockIdx.x * lato + tx;

    double somma = 0.0;
    for (int p0 = 0; p0 < k; p0 += lato) {
        tA[ty * lato + tx] = (i < m && p0 + tx < k) ? A[(size_t)i * k + p0 + tx] : 0.0;
        tB[ty * lato + tx] = (p0 + ty < k && j < n) ? B[(size_t)(p0 + ty) * n + j] : 0.0;
        __syncthreads();
        for (int p = 0; p < lato; ++p)
            somma += tA[ty * lato + p] * tB[p * lato + tx];
        __syncthreads();
    }
    if (i < m && j < n)
        C[(size_t)i * n + j] += somma;
}

int lancia(const double *A, const double *B, double *C, int m, int n, int k, int lato)
{
    dim3 blocco(lato, lato);
    dim3 griglia((n + lato - 1) / lato, (m + lato - 1) / lato);
    size_t byte = 2 * lato * lato * sizeof(float);
    aggiungi_prodotto<<<griglia, blocco, byte>>>(A, B, C, m, n, k);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : -1;
}
