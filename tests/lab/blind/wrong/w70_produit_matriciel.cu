// Produit de matrices par tuiles : C(m,n) = A(m,p) * B(p,n)
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define TUILE 16

__global__ void produit(const int *A, const int *B, int *C, int m, int p, int n)
{
    __shared__ int tA[TUILE][TUILE];
    __shared__ int tB[TUILE][TUILE];
    int lig = blockIdx.y * TUILE + threadIdx.y;
    int col = blockIdx.x * TUILE + threadIdx.x;
    int somme = 0;

    for (int debut = 0; debut < p; debut += TUILE) {
        tA[threadIdx.y][threadIdx.x] = 0;
        tB[threadIdx.y][threadIdx.x] = 0;
        if (lig < m && debut + threadIdx.x < p)
            tA[threadIdx.y][threadIdx.x] = A[lig * p + debut + threadIdx.x];
        if (col < n && debut + threadIdx.y < p)
            tB[threadIdx.y][threadIdx.x] = B[(debut + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < TUILE; k++)
            somme += tA[threadIdx.y][k] * tB[k][threadIdx.x];
        __syncthreads();
    }
    if (lig < m && col < n)
        C[lig * n + col] = somme;
}

int main(void)
{
    const int m = 300, p = 64, n = 200;
    int *A = (int *)malloc(m * p * sizeof(int));
    int *B = (int *)malloc(p * n * sizeof(int));
    int *C = (int *)malloc(m * n * sizeof(int));
    for (int i = 0; i < m * p; i++) A[i] = i % 10 + 1;
    for (int i = 0; i < p * n; i++) B[i] = i % 7 + 1;

    int *dA, *dB, *dC;
    cudaMalloc((void **)&dA, m * p * sizeof(int));
    cudaMalloc((void **)&dB, p * n * sizeof(int));
    cudaMalloc((void **)&dC, m * n * sizeof(int));
    cudaMemcpy(dA, A, m * p * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, p * n * sizeof(int), cudaMemcpyHostToDevice);

    dim3 bloc(TUILE, TUILE);
    dim3 grille((m + TUILE - 1) / TUILE, (n + TUILE - 1) / TUILE);
    produit<<<grille, bloc>>>(dA, dB, dC, m, p, n);
    cudaMemcpy(C, dC, m * n * sizeof(int), cudaMemcpyDeviceToHost);

    int erreurs = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int s = 0;
            for (int k = 0; k < p; k++) s += A[i * p + k] * B[k * n + j];
            if (s != C[i * n + j]) erreurs++;
        }
    printf("max error: %d\n", erreurs);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
