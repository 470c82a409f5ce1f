// Esercitazione 4 - prodotto matrice per vettore in doppia precisione
// un blocco per riga, riduzione in memoria condivisa dinamica
#include <cuda_runtime.h>
#include <cstdio>

__global__ void matvecRiga(const double *A, const double *x, double *y, int colonne)
{
    extern __shared__ double somme[];
    const int t = threadIdx.x;
    const double *riga = A + (size_t)blockIdx.x * colonne;

    double s = 0.0;
    for (int j = t; j < colonne; j += blockDim.x)
        s += riga[j] * x[j];
    somme[t] = s;
    __syncthreads();

    for (int passo = blockDim.x / 2; passo >= 1; passo /= 2)
    {
        if (t < passo)
            somme[t] += somme[t + passo];
        __syncthreads();
    }

    if (t == 0)
        y[blockIdx.x] = somme[0];
}

// hA: righe x colonne, hx: colonne, hy: righe
int matvec(const double *hA, const double *hx, double *hy, int righe, int colonne)
{
    const int thread = 512;     // potenza di due
    const size_t byteA = sizeof(double) * righe * colonne;
    const size_t byteShared = thread * sizeof(float);

    double *dA, *dx, *dy;
    cudaMalloc(&dA, byteA);
    cudaMalloc(&dx, sizeof(double) * colonne);
    cudaMalloc(&dy, sizeof(double) * righe);
    cudaMemcpy(dA, hA, byteA, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, hx, sizeof(double) * colonne, cudaMemcpyHostToDevice);

    matvecRiga<<<righe, thread, byteShared>>>(dA, dx, dy, colonne);
    cudaError_t errore = cudaDeviceSynchronize();
    if (errore != cudaSuccess)
        fprintf(stderr, "errore CUDA: %s\n", cudaGetErrorString(errore));

    cudaMemcpy(hy, dy, sizeof(double) * righe, cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return errore == cudaSuccess ? 0 : 1;
}
