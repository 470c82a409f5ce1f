// TP2 - produit de matrices par tuiles
// C (M x N) = A (M x K) * B (K x N), stockage par lignes, tailles quelconques.
// bloc(TUILE, TUILE), grille(ceil(N/TUILE), ceil(M/TUILE))
#include <cuda_runtime.h>

#define TUILE 16

__global__ void produitTuiles(const float *A, const float *B, float *C,
                              int M, int N, int K)
{
    __shared__ float tuileA[TUILE][TUILE];
    __shared__ float tuileB[TUILE][TUILE];

    int ligne   = blockIdx.y * TUILE + threadIdx.y;
    int colonne = blockIdx.x * TUILE + threadIdx.x;
    float valeur = 0.0f;

    int nb = (K + TUILE - 1) / TUILE;
    for (int t = 0; t < nb; ++t)
    {
        int kA = t * TUILE + threadIdx.x;
        int kB = t * TUILE + threadIdx.y;

        // on met zéro en dehors des matrices
        if (ligne < M && kA < K)
            tuileA[threadIdx.y][threadIdx.x] = A[ligne * K + kA];
        else
            tuileA[threadIdx.y][threadIdx.x] = 0.0f;

        if (kB < K && colonne < N)
            tuileB[threadIdx.y][threadIdx.x] = B[kB * N + colonne];
        else
            tuileB[threadIdx.y][threadIdx.x] = 0.0f;

        // on attend que toute la tuile soit chargée
        __syncthreads();

        for (int k = 0; k < TUILE; ++k)
            valeur += tuileA[threadIdx.y][k] * tuileB[k][threadIdx.x];
    }

    if (ligne < M && colonne < N)
        C[ligne * N + colonne] = valeur;
}
