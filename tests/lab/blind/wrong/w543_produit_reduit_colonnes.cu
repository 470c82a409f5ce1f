/*
 * Produit reduit, stockage par colonnes (Fortran / BLAS) :
 *   C(i,j) = somme_k [A(2i,k) + A(2i+1,k)] * [B(k,2j) + B(k,2j+1)]
 * A : m x k (lda), B : k x n (ldb), C : m/2 x n/2 (ldc). m et n pairs, k quelconque.
 * Lancement : bloc (16,16), grille ( (m/2+15)/16 , (n/2+15)/16 )
 */
#include <cuda_runtime.h>

#define T 16

__device__ double paire_lignes(const double *A, int lda, int i, int kk)
{
    const double *colonne = A + (size_t)kk * lda;
    return colonne[2 * i] + colonne[2 * i + 1];
}

__device__ double paire_colonnes(const double *B, int ldb, int kk, int j, int moitie)
{
    const double *ligne = B + kk;
    return ligne[(size_t)j * ldb] + ligne[(size_t)(j + moitie) * ldb];
}

__global__ void produit_reduit(int m, int n, int k, const double *A, int lda,
                               const double *B, int ldb, double *C, int ldc)
{
    __shared__ double sA[T][T];    // sA[k][ligne]
    __shared__ double sB[T][T + 1];  // sB[colonne][k]

    const int mi = m / 2;
    const int ni = n / 2;
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = blockIdx.x * T + x;
    const int j = blockIdx.y * T + y;
    double s = 0.0;

    for (int k0 = 0; k0 < k; k0 += T) {
        // la tuile de A contient deja la somme de deux lignes
        double va = 0.0;
        if (i < mi && k0 + y < k)
            va = paire_lignes(A, lda, i, k0 + y);
        sA[y][x] = va;

        // et celle de B la somme de deux colonnes
        double vb = 0.0;
        if (j < ni && k0 + x < k)
            vb = paire_colonnes(B, ldb, k0 + x, j, ni);
        sB[y][x] = vb;

        __syncthreads();
        for (int q = 0; q < T; q++)
            s += sA[q][x] * sB[y][q];
        __syncthreads();
    }

    if (i < mi && j < ni)
        C[i + (size_t)j * ldc] = s;
}
