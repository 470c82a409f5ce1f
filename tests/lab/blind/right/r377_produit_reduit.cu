/*
 * Produit matriciel « réduit » : on calcule P = A * B puis on additionne P
 * par carrés de 2 x 2. La sortie R a ceil(n/2) lignes et ceil(m/2) colonnes.
 * Lorsque n ou m est impair, le dernier carré est incomplet et les éléments
 * qui manquent comptent pour zéro.
 *
 * Comme R[i][j] = somme_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1]),
 * il n'est pas nécessaire de former P.
 */
#include <cuda_runtime.h>

static const int LARG = 32;
static const int HAUT = 4;

__device__ __forceinline__ float paireLignes(const float *A, int ligne, int n, int k, int p)
{
    float v = A[ligne * p + k];
    if (ligne + 1 < n)
        v += A[(ligne + 1) * p + k];
    return v;
}

__device__ __forceinline__ float paireColonnes(const float *B, int col, int m, int k)
{
    float v = B[k * m + col];
    if (col + 1 < m)
        v += B[k * m + col + 1];
    return v;
}

__global__ void produitReduit(const float *A, const float *B, float *R,
                              int n, int p, int m)
{
    const int hauteur = (n + 1) / 2;
    const int largeur = (m + 1) / 2;
    const int j = blockIdx.x * LARG + threadIdx.x;
    const int i = blockIdx.y * HAUT + threadIdx.y;
    if (i >= hauteur || j >= largeur)
        return;

    float total = 0.f;
    for (int k = 0; k < p; ++k)
        total += paireLignes(A, 2 * i, n, k, p) * paireColonnes(B, 2 * j, m, k);

    R[i * largeur + j] = total;
}

// A (n x p), B (p x m) et R (ceil(n/2) x ceil(m/2)) sont en mémoire hôte,
// rangées par lignes ; n, p et m sont strictement positifs,
// et n <= 2 * 4 * 65535 (limite de gridDim.y).
cudaError_t calculerProduitReduit(const float *A, const float *B, float *R,
                                  int n, int p, int m)
{
    const int hauteur = (n + 1) / 2, largeur = (m + 1) / 2;
    const size_t octetsA = sizeof(float) * n * p;
    const size_t octetsB = sizeof(float) * p * m;
    const size_t octetsR = sizeof(float) * hauteur * largeur;
    float *dA = nullptr, *dB = nullptr, *dR = nullptr;
    cudaError_t e;

    if ((e = cudaMalloc(&dA, octetsA)) != cudaSuccess) goto fin;
    if ((e = cudaMalloc(&dB, octetsB)) != cudaSuccess) goto fin;
    if ((e = cudaMalloc(&dR, octetsR)) != cudaSuccess) goto fin;
    if ((e = cudaMemcpy(dA, A, octetsA, cudaMemcpyHostToDevice)) != cudaSuccess) goto fin;
    if ((e = cudaMemcpy(dB, B, octetsB, cudaMemcpyHostToDevice)) != cudaSuccess) goto fin;
    {
        dim3 bloc(LARG, HAUT);
        dim3 grille((largeur + LARG - 1) / LARG, (hauteur + HAUT - 1) / HAUT);
        produitReduit<<<grille, bloc>>>(dA, dB, dR, n, p, m);
    }
    if ((e = cudaGetLastError()) != cudaSuccess) goto fin;
    e = cudaMemcpy(R, dR, octetsR, cudaMemcpyDeviceToHost);
fin:
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);
    return e;
}
