// Produit réduit : C[i][j] = somme sur l de (A[2i][l] + A[2i+1][l]) * (B[l][2j] + B[l][2j+1])
// A : lignes x commun, B : commun x colonnes, C : (lignes/2) x (colonnes/2)
// lignes et colonnes doivent être pairs.
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
#include <cuda_runtime.h>

struct Taille {
    int lignes;
    int commun;
    int colonnes;
};

__constant__ Taille taille;

__global__ void produitReduit(const double *A, const double *B, double *C)
{
    const int hauteur = taille.lignes / 2;
    const int largeur = taille.colonnes / 2;
    const int total   = hauteur * largeur;

    // un thread calcule plusieurs éléments de C
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < total; p += gridDim.x * blockDim.x) {
        int i = p / largeur;
        int j = p % largeur;
        const double *a0 = A + (2 * i) * taille.commun;
        const double *a1 = a0 + taille.commun;
        const double *b  = B + 2 * j;
        double s = 0.0;
        for (int l = 0; l < taille.commun; ++l, b += taille.colonnes)
            s += (a0[l] + a1[l]) * (b[0] + b[1]);
        C[p] = s;
    }
}

int main(int argc, char **argv)
{
    Taille t = {64, 50, 38};
    if (argc == 4) {
        t.lignes   = atoi(argv[1]);
        t.commun   = atoi(argv[2]);
        t.colonnes = atoi(argv[3]);
    }
    assert(t.lignes % 2 == 0 && t.colonnes % 2 == 0);

    const size_t octetsA = (size_t)t.lignes * t.commun * sizeof(double);
    const size_t octetsB = (size_t)t.commun * t.colonnes * sizeof(double);
    const size_t octetsC = (size_t)(t.lignes / 2) * (t.colonnes / 2) * sizeof(double);
    double *A = (double *)malloc(octetsA);
    double *B = (double *)malloc(octetsB);
    double *C = (double *)malloc(octetsC);
    for (int i = 0; i < t.lignes * t.commun; ++i)   A[i] = (i * 13 % 17) / 17.0;
    for (int i = 0; i < t.commun * t.colonnes; ++i) B[i] = (i * 7 % 11) / 11.0;

    double *dA, *dB, *dC;
    cudaMalloc(&dA, octetsA);
    cudaMalloc(&dB, octetsB);
    cudaMalloc(&dC, octetsC);
    cudaMemcpy(dA, A, octetsA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, octetsB, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(taille, &t, sizeof(Taille));

    produitReduit<<<8, 128>>>(dA, dB, dC);
    cudaMemcpy(C, dC, octetsC, cudaMemcpyDeviceToHost);

    double trace = 0.0;
    for (int i = 0; i < t.lignes / 2 && i < t.colonnes / 2; ++i)
        trace += C[i * (t.colonnes / 2) + i];
    printf("trace de C : %f\n", trace);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
