/* Produit scalaire de deux vecteurs : arbre en memoire partagee,
 * puis un seul atomicAdd par bloc. */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define NB_THREADS 256   /* puissance de deux */

__global__ void produit_scalaire(const int *x, const int *y, int n, int *resultat)
{
    __shared__ int cache[NB_THREADS];
    int t = threadIdx.x;
    int somme = 0;

    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        somme += x[i] * y[i];
    cache[t] = somme;
    __syncthreads();

    for (int pas = NB_THREADS / 2; pas > 0; pas >>= 1) {
        if (t < pas)
            cache[t] += cache[t + pas];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(resultat, cache[0]);
}

int main(void)
{
    const int n = 100003;
    const int nb_blocs = 40;
    size_t octets = (size_t)n * sizeof(int);

    int *hx = (int *)malloc(octets);
    int *hy = (int *)malloc(octets);
    int attendu = 0;
    for (int i = 0; i < n; i++) {
        hx[i] = i % 11 - 5;
        hy[i] = i % 13 - 4;
        attendu += hx[i] * hy[i];
    }

    int *dx, *dy, *dr;
    cudaMalloc((void **)&dx, octets);
    cudaMalloc((void **)&dy, octets);
    cudaMalloc((void **)&dr, sizeof(int));
    cudaMemcpy(dx, hx, octets, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, hy, octets, cudaMemcpyHostToDevice);
    cudaMemset(dr, 0, sizeof(int));

    produit_scalaire<<<nb_blocs, NB_THREADS>>>(dx, dy, n, dr);

    int obtenu = 0;
    cudaMemcpy(&obtenu, dr, sizeof(int), cudaMemcpyDeviceToHost);
    printf("obtenu = %d, attendu = %d : %s\n", obtenu, attendu,
           obtenu == attendu ? "OK" : "ERREUR");

    cudaFree(dx); cudaFree(dy); cudaFree(dr);
    free(hx); free(hy);
    return obtenu != attendu;
}
