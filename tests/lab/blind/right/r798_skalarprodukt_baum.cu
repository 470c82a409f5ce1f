/*
 * Skalarprodukt zweier Vektoren der Länge n (Übungsblatt 4, Aufgabe 2)
 *
 * Jeder Block summiert zuerst in einer Schleife über das ganze Gitter,
 * danach baumartig im gemeinsamen Speicher. Am Ende addiert Thread 0 die
 * Blocksumme atomar auf *ergebnis.
 *
 * ACHTUNG: *ergebnis muss vor dem Start auf 0 gesetzt werden, z. B. mit
 *     cudaMemset(d_ergebnis, 0, sizeof(float));
 *
 * Aufruf:
 *     int bloecke = (int)std::min<size_t>((n + BLOCK - 1) / BLOCK, 1024);
 *     skalarprodukt<<<bloecke, BLOCK>>>(d_x, d_y, d_ergebnis, n);
 * mit n >= 1
 */
#include <cuda_runtime.h>

#define BLOCK 256

__global__ void skalarprodukt(const float *x, const float *y,
                              float *ergebnis, size_t n)
{
    __shared__ float zwischen[BLOCK];

    const size_t schritt = (size_t)gridDim.x * BLOCK;
    float summe = 0.0f;

    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += schritt)
        summe += x[i] * y[i];

    zwischen[threadIdx.x] = summe;
    __syncthreads();

    /* Baumreduktion: die aktive Hälfte wird jedes Mal kleiner */
    for (unsigned int haelfte = BLOCK / 2; haelfte > 0; haelfte >>= 1) {
        if (threadIdx.x < haelfte)
            zwischen[threadIdx.x] += zwischen[threadIdx.x + haelfte];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        atomicAdd(ergebnis, zwischen[0]);
}
