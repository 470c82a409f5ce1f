// TP3 : un warp calcule une ligne entiere de C.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TAILLE_WARP 32
#define WARPS_PAR_BLOC 4

__device__ inline float sommeWarp(float v)
{
    for (int masque = TAILLE_WARP / 2; masque > 0; masque /= 2)
        v += __shfl_xor_sync(0xffffffff, v, masque);
    return v;   // toutes les voies ont la somme
}

__global__ void produitWarp(const float *A, const float *B, float *C, int n, int p, int q)
{
    int voie  = threadIdx.x % TAILLE_WARP;
    int ligne = (blockIdx.x * blockDim.x + threadIdx.x) / TAILLE_WARP;
    if (ligne >= n) return;               // tout le warp sort ensemble

    for (int col = 0; col < q; col++) {
        float s = 0.0f;
        for (int k = voie; k < p; k += TAILLE_WARP)
            s += A[ligne * p + k] * B[k * q + col];
        s = sommeWarp(s);
        if (voie == 0)
            C[ligne * q + col] = s;
    }
}

int main(void)
{
    int n = 33, p = 75, q = 21;
    float *A = (float*)malloc(n * p * sizeof(float));
    float *B = (float*)malloc(p * q * sizeof(float));
    float *C = (float*)malloc(n * q * sizeof(float));
    for (int i = 0; i < n * p; i++) A[i] = (float)(i % 9);
    for (int i = 0; i < p * q; i++) B[i] = (float)(i % 6) - 3;

    float *dA, *dB, *dC;
    cudaMalloc((void**)&dA, n * p * sizeof(float));
    cudaMalloc((void**)&dB, p * q * sizeof(float));
    cudaMalloc((void**)&dC, n * q * sizeof(float));
    cudaMemcpy(dA, A, n * p * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, p * q * sizeof(float), cudaMemcpyHostToDevice);

    int blocs = (n + WARPS_PAR_BLOC - 1) / WARPS_PAR_BLOC;
    produitWarp<<<blocs, WARPS_PAR_BLOC * TAILLE_WARP>>>(dA, dB, dC, n, p, q);
    cudaMemcpy(C, dC, n * q * sizeof(float), cudaMemcpyDeviceToHost);

    int faux = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < q; j++) {
            float s = 0;
            for (int k = 0; k < p; k++) s += A[i * p + k] * B[k * q + j];
            if (fabsf(s - C[i * q + j]) > 1e-3) faux++;
        }
    printf("faux : %d\n", faux);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return faux != 0;
}
