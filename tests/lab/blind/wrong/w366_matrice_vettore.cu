// Laboratorio 3: prodotto matrice-vettore y = alfa * A * x + beta * y
// A: righe x colonne, memorizzata per righe con distanza lda >= colonne.
// Un warp elabora più righe, una dopo l'altra (passo = numero di warp della griglia).
// righe, colonne >= 1; blockDim.x deve essere un multiplo di 32.
//
// Esempio di lancio:
//   matriceVettore<<<64, 128>>>(righe, colonne, alfa, dA, lda, dX, beta, dY);
#include <cuda_runtime.h>

#define WARP 32
#define TUTTI 0xffffffffu

__device__ float sommaWarp(float v)
{
#pragma unroll
    for (int d = WARP / 2; d >= 1; d >>= 1)
        v += __shfl_down_sync(TUTTI, v, d);
    return v;
}

__global__ void matriceVettore(int righe, int colonne, float alfa,
                               const float* A, int lda,
                               const float* x, float beta, float* y)
{
    const int corsia = threadIdx.x % WARP;
    const int warpPerBlocco = blockDim.x / WARP;
    const int warp = blockIdx.x * warpPerBlocco + threadIdx.x / WARP;
    const int totaleWarp = gridDim.x * warpPerBlocco;

    float somma = 0.0f;
    for (long long r = warp; r < righe; r += totaleWarp) {
        const float* riga = A + (size_t)r * lda;
        for (int c = corsia; c < colonne; c += WARP)
            somma += riga[c] * x[c];

        const float totale = sommaWarp(somma);
        if (corsia == 0)
            y[r] = alfa * totale + (beta == 0.0f ? 0.0f : beta * y[r]);
    }
}
