// GEMM par lots : C_l = alpha * A_l * B_l + beta * C_l, matrices par lignes et contigues.
// Dimensions quelconques.  Lancement :
//   dim3 blocs((n + COTE - 1) / COTE, (m + COTE - 1) / COTE, nbLots);
//   gemmLots<<<blocs, dim3(COTE, COTE)>>>(dim, alpha, A, B, beta, C);
#include <cuda_runtime.h>

struct Dim { int m, n, k; };

constexpr int COTE = 16;

__global__ void gemmLots(Dim d, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float tuileA[COTE][COTE];
    __shared__ float tuileB[COTE][COTE];

    size_t lot = blockIdx.z;
    A += lot * d.m * d.k;
    B += lot * d.k * d.n;
    C += lot * d.m * d.n;

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int ligne = blockIdx.y * COTE + ty;
    int colonne = blockIdx.x * COTE + tx;

    float total = 0.0f;
    for (int t = 0; t < (d.k + COTE - 1) / COTE; t++) {
        int colA = t * COTE + tx;
        int ligB = t * COTE + ty;

        if (ligne < d.m && colA < d.k)
            tuileA[ty][tx] = A[(size_t)ligne * d.k + colA];
        if (ligB < d.k && colonne < d.n)
            tuileB[ty][tx] = B[(size_t)ligB * d.n + colonne];
        __syncthreads();

        for (int i = 0; i < COTE; i++)
            total += tuileA[ty][i] * tuileB[i][tx];
        __syncthreads();
    }

    if (ligne < d.m && colonne < d.n) {
        size_t pos = (size_t)ligne * d.n + colonne;
        C[pos] = alpha * total + beta * C[pos];
    }
}
