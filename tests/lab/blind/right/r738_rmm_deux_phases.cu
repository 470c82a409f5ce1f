// Produit reduit en deux phases :
//  1. on additionne les lignes de A deux par deux (m/2 x k)
//     et les colonnes de B deux par deux (k x n/2) ;
//  2. on fait un produit de matrices ordinaire avec des tuiles.
// Une ligne ou une colonne impaire a la fin est ignoree.
#include <cstdio>
#include <cuda_runtime.h>

#define COTE 16

__global__ void compacter_lignes(const float *A, float *SA, int lignes, int k)
{
    size_t total = (size_t)lignes * k;
    size_t pas = (size_t)gridDim.x * blockDim.x;
    for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < total; e += pas) {
        size_t i = e / k, p = e % k;
        SA[e] = A[2 * i * k + p] + A[(2 * i + 1) * k + p];
    }
}

__global__ void compacter_colonnes(const float *B, float *SB, int k, int n)
{
    int colonnes = n / 2;
    size_t total = (size_t)k * colonnes;
    size_t pas = (size_t)gridDim.x * blockDim.x;
    for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < total; e += pas) {
        size_t p = e / colonnes, j = e % colonnes;
        SB[e] = B[p * n + 2 * j] + B[p * n + 2 * j + 1];
    }
}

__global__ void produit(const float *X, const float *Y, float *R,
                        int lignes, int k, int colonnes)
{
    __shared__ float tx[COTE][COTE], ty[COTE][COTE];
    int i = blockIdx.y * COTE + threadIdx.y;
    int j = blockIdx.x * COTE + threadIdx.x;
    float s = 0.f;
    for (int p0 = 0; p0 < k; p0 += COTE) {
        int p = p0 + threadIdx.x, q = p0 + threadIdx.y;
        tx[threadIdx.y][threadIdx.x] = (i < lignes && p < k) ? X[(size_t)i * k + p] : 0.f;
        ty[threadIdx.y][threadIdx.x] = (q < k && j < colonnes) ? Y[(size_t)q * colonnes + j] : 0.f;
        __syncthreads();
        for (int r = 0; r < COTE; ++r)
            s += tx[threadIdx.y][r] * ty[r][threadIdx.x];
        __syncthreads();
    }
    if (i < lignes && j < colonnes)
        R[(size_t)i * colonnes + j] = s;
}

static int nb_blocs(size_t travail)
{
    size_t b = (travail + 255) / 256;
    return b > 2048 ? 2048 : (int)b;
}

// A, B et R se trouvent sur la carte ; rend 0 si tout va bien.
int produit_reduit(const float *A, const float *B, float *R, int m, int k, int n)
{
    int lignes = m / 2, colonnes = n / 2;
    if (lignes <= 0 || colonnes <= 0)
        return 0;
    if (k <= 0)
        return cudaMemset(R, 0, sizeof(float) * lignes * (size_t)colonnes) != cudaSuccess;

    float *SA = NULL, *SB = NULL;
    size_t na = (size_t)lignes * k, nb = (size_t)k * colonnes;
    if (cudaMalloc(&SA, na * sizeof(float)) != cudaSuccess)
        return 1;
    if (cudaMalloc(&SB, nb * sizeof(float)) != cudaSuccess) {
        cudaFree(SA);
        return 1;
    }

    compacter_lignes<<<nb_blocs(na), 256>>>(A, SA, lignes, k);
    compacter_colonnes<<<nb_blocs(nb), 256>>>(B, SB, k, n);
    dim3 bloc(COTE, COTE);
    dim3 grille((colonnes + COTE - 1) / COTE, (lignes + COTE - 1) / COTE);
    produit<<<grille, bloc>>>(SA, SB, R, lignes, k, colonnes);

    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        fprintf(stderr, "produit_reduit : %s\n", cudaGetErrorString(e));
    cudaFree(SA);
    cudaFree(SB);
    return e != cudaSuccess;
}
