#include <cuda_runtime.h>

// Produit de matrices avec des blocs de 32 x 8 threads.
// A : M x K, B : K x N, C : M x N, rangement par lignes.
// Un bloc calcule 8 lignes et 32 colonnes de C.
// M, N, K de 1 à 500000, moins de 2^31 éléments par matrice.

#define BX 32
#define BY 8

__global__ void produit(const float *A, const float *B, float *C,
                        int M, int N, int K)
{
    __shared__ float sA[BY][BX];
    __shared__ float sB[BX][BX];

    int ligne = blockIdx.y * BY + threadIdx.y;
    int colonne = blockIdx.x * BX + threadIdx.x;
    float somme = 0.f;

    for (int k0 = 0; k0 < K; k0 += BX) {

        // un élément de A par thread
        sA[threadIdx.y][threadIdx.x] = 0.f;
        if (ligne < M && k0 + threadIdx.x < K)
            sA[threadIdx.y][threadIdx.x] = A[ligne * K + k0 + threadIdx.x];

        // quatre éléments de B par thread
        for (int r = threadIdx.y; r < BX; r += BY) {
            sB[r][threadIdx.x] = 0.f;
            if (k0 + r < K && colonne < N)
                sB[r][threadIdx.x] = B[(k0 + r) * K + colonne];
        }

        __syncthreads();

        for (int p = 0; p < BX; p++)
            somme += sA[threadIdx.y][p] * sB[p][threadIdx.x];

        __syncthreads();
    }

    if (ligne < M && colonne < N)
        C[ligne * N + colonne] = somme;
}

void multiplier(const float *dA, const float *dB, float *dC, int M, int N, int K)
{
    dim3 blocs((N + BX - 1) / BX, (M + BY - 1) / BY);
    dim3 threads(BX, BY);
    produit<<<blocs, threads>>>(dA, dB, dC, M, N, K);
    cudaDeviceSynchronize();
}
