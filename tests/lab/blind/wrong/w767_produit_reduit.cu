// TP 6 - produit de matrices reduit (entiers)
// A : m x k, B : k x n, R : (m/2) x (n/2), avec m et n pairs, sinon quelconques.
// R[i][j] = somme du carre 2 x 2 du produit AB (lignes 2i, 2i+1 ; colonnes 2j, 2j+1).
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define VERIFIER(appel)                                                     \
    if (cudaError_t err = (appel); err != cudaSuccess) {                    \
        fprintf(stderr, "erreur %s ligne %d\n", cudaGetErrorString(err), __LINE__); \
        exit(EXIT_FAILURE);                                                 \
    }

const int BX = 32;
const int BY = 4;

__global__ void noyauReduit(const int *A, const int *B, int *R, int m, int k, int n)
{
    int col = blockIdx.x * BX + threadIdx.x;
    int lig = blockIdx.y * BY + threadIdx.y;
    if (col >= n / 2 || lig >= m / 2)
        return;

    const int *a0 = A + (size_t)(2 * lig) * k;
    const int *a1 = a0 + k;
    const int2 *b = reinterpret_cast<const int2 *>(B) + col;   // deux colonnes voisines
    const int pas = n / 2;                                     // une ligne de B en int2

    int somme = 0;
    for (int p = 0; p < k; ++p) {
        int2 paire = b[(size_t)p * pas];
        somme += (a0[p] + a1[p]) * (paire.x + paire.y);
    }
    R[(size_t)lig * (n / 2) + col] = somme;
}

// hA, hB et hR sont en memoire de l'hote
void produitReduit(const int *hA, const int *hB, int *hR, int m, int k, int n)
{
    if (m % 2 != 0 || n % 2 != 0) {
        fprintf(stderr, "m et n doivent etre pairs\n");
        exit(EXIT_FAILURE);
    }

    const size_t octetsA = sizeof(int) * m * k;
    const size_t octetsB = sizeof(int) * k * n;
    const size_t octetsR = sizeof(int) * (m / 2) * (n / 2);

    int *dA, *dB, *dR;
    VERIFIER(cudaMalloc(&dA, octetsA));
    VERIFIER(cudaMalloc(&dB, octetsB));
    VERIFIER(cudaMalloc(&dR, octetsR));
    VERIFIER(cudaMemcpy(dA, hA, octetsA, cudaMemcpyHostToDevice));
    VERIFIER(cudaMemcpy(dB, hB, octetsB, cudaMemcpyHostToDevice));

    dim3 bloc(BX, BY);
    dim3 grille;
    grille.x = n / 2 / BX;
    grille.y = m / 2 / BY;
    noyauReduit<<<grille, bloc>>>(dA, dB, dR, m, k, n);
    VERIFIER(cudaGetLastError());
    VERIFIER(cudaMemcpy(hR, dR, octetsR, cudaMemcpyDeviceToHost));

    VERIFIER(cudaFree(dA));
    VERIFIER(cudaFree(dB));
    VERIFIER(cudaFree(dR));
}
