// Produit matriciel avec deux tampons : on charge la tuile suivante
// pendant qu'on calcule avec la tuile courante. Dimensions quelconques.
#include <cuda_runtime.h>

#define COTE 16

__device__ float lire(const float *p, int lig, int col, int nl, int nc)
{
    if (lig < nl && col < nc)
        return p[lig * nc + col];
    return 0.0f;
}

__global__ void produit2(const float *A, const float *B, float *C, int n1, int n2, int n3)
{
    __shared__ float tA[2][COTE][COTE];
    __shared__ float tB[2][COTE][COTE];

    int x = threadIdx.x, y = threadIdx.y;
    int lig = blockIdx.y * COTE + y;
    int col = blockIdx.x * COTE + x;
    int nb = (n2 + COTE - 1) / COTE;

    tA[0][y][x] = lire(A, lig, x, n1, n2);
    tB[0][y][x] = lire(B, y, col, n2, n3);
    __syncthreads();

    float total = 0.0f;
    for (int t = 0; t < nb; t++) {
        int ici = t % 2;
        int suite = t % 2;

        if (t + 1 < nb) {
            tA[suite][y][x] = lire(A, lig, (t + 1) * COTE + x, n1, n2);
            tB[suite][y][x] = lire(B, (t + 1) * COTE + y, col, n2, n3);
        }
        for (int k = 0; k < COTE; k++)
            total += tA[ici][y][k] * tB[ici][k][x];
        __syncthreads();
    }

    if (lig < n1 && col < n3)
        C[lig * n3 + col] = total;
}

void produit(const float *A, const float *B, float *C, int n1, int n2, int n3)
{
    dim3 bloc(COTE, COTE);
    dim3 grille((n3 + COTE - 1) / COTE, (n1 + COTE - 1) / COTE);
    produit2<<<grille, bloc>>>(A, B, C, n1, n2, n3);
}
