// Produit reduit en demi-precision :
//   C[i][j] = somme_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A : M x K, B : K x N (M et N pairs, K quelconque), C : M/2 x N/2 en float.
// Blocs de 8 x 8, grille (plafond(N/2 / 8), plafond(M/2 / 8)).
#include <cuda_runtime.h>
#include <cuda_fp16.h>

constexpr int COTE = 8;

__global__ void produitReduit(const half *A, const half *B, float *C,
                              int M, int N, int K)
{
    __shared__ float paireA[COTE][COTE];
    __shared__ float paireB[COTE][COTE];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = blockIdx.y * COTE + y;
    const int j = blockIdx.x * COTE + x;
    const int lignes = M / 2;
    const int colonnes = N / 2;

    if (i >= lignes || j >= colonnes)
        return;

    float somme = 0.0f;
    for (int k0 = 0; k0 < K; k0 += COTE) {
        float a = 0.0f, b = 0.0f;
        if (i < lignes && k0 + x < K) {
            a = __half2float(A[(2 * i) * K + k0 + x]) +
                __half2float(A[(2 * i + 1) * K + k0 + x]);
        }
        if (j < colonnes && k0 + y < K) {
            b = __half2float(B[(k0 + y) * N + 2 * j]) +
                __half2float(B[(k0 + y) * N + 2 * j + 1]);
        }
        paireA[y][x] = a;
        paireB[y][x] = b;
        __syncthreads();

        for (int k = 0; k < COTE; ++k)
            somme += paireA[y][k] * paireB[k][x];
        __syncthreads();
    }

    if (i < lignes && j < colonnes)
        C[i * colonnes + j] = somme;
}
