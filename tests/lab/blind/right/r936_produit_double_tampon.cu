#include <cuda_runtime.h>

// Produit de matrices C = A * B (float, stockage par lignes), avec deux tampons :
// pendant qu'on calcule avec l'un, on remplit l'autre. Une seule barriere par etape.
const int COTE = 16;

__device__ float lire(const float *m, int lig, int col, int nlig, int ncol)
{
    return (lig < nlig && col < ncol) ? m[lig * ncol + col] : 0.f;
}

__global__ void produit(const float *A, const float *B, float *C,
                        int nl, int nk, int nc)
{
    __shared__ float ta[2][COTE][COTE];
    __shared__ float tb[2][COTE][COTE];

    int x = threadIdx.x, y = threadIdx.y;
    int lig = blockIdx.y * COTE + y;
    int col = blockIdx.x * COTE + x;
    int etapes = (nk + COTE - 1) / COTE;

    ta[0][y][x] = lire(A, lig, x, nl, nk);
    tb[0][y][x] = lire(B, y, col, nk, nc);

    float somme = 0.f;
    for (int e = 0; e < etapes; ++e) {
        int cour = e & 1;
        __syncthreads();
        if (e + 1 < etapes) {
            int suiv = cour ^ 1;
            int k = (e + 1) * COTE;
            ta[suiv][y][x] = lire(A, lig, k + x, nl, nk);
            tb[suiv][y][x] = lire(B, k + y, col, nk, nc);
        }
        for (int q = 0; q < COTE; ++q)
            somme += ta[cour][y][q] * tb[cour][q][x];
    }

    if (lig < nl && col < nc)
        C[lig * nc + col] = somme;
}

void lancer_produit(const float *A, const float *B, float *C, int nl, int nk, int nc)
{
    dim3 fils(COTE, COTE);
    dim3 blocs((nc + COTE - 1) / COTE, (nl + COTE - 1) / COTE);
    produit<<<blocs, fils>>>(A, B, C, nl, nk, nc);
}
