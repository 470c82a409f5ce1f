/* Produit réduit : C[i][j] est la somme des quatre éléments
 * (2i,2j), (2i,2j+1), (2i+1,2j) et (2i+1,2j+1) de A*B.
 * A : 2m x p, B : p x 2n, C : m x n, rangées par lignes ; m, n et p de 1 à 8192.
 * On additionne les lignes de A et les colonnes de B deux à deux pendant le
 * chargement : il ne reste qu'un produit m x p par p x n.
 *
 * Lancement :
 *   dim3 bloc(COTE, COTE);
 *   dim3 grille((n + COTE - 1) / COTE, (m + COTE - 1) / COTE);
 *   produitReduit<<<grille, bloc>>>(A, B, C, m, n, p);
 */
#include <cuda_runtime.h>
#define COTE 16

__global__ void produitReduit(const float* A, const float* B, float* C, int m, int n, int p)
{
    __shared__ float sa[COTE][COTE];
    __shared__ float sb[COTE][COTE];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int lig = blockIdx.y * COTE + ty;
    const int col = blockIdx.x * COTE + tx;

    auto paireA = [=](int k) -> float {
        if (lig >= m || k >= p) return 0.0f;
        const float* q = A + (size_t)(2 * lig) * p + k;
        return q[0] + q[1];
    };
    auto paireB = [=](int k) -> float {
        if (col >= n || k >= p) return 0.0f;
        const float* q = B + (size_t)k * (2 * n) + 2 * col;
        return q[0] + q[1];
    };

    float acc = 0.0f;
    for (int k0 = 0; k0 < p; k0 += COTE) {
        sa[ty][tx] = paireA(k0 + tx);
        sb[ty][tx] = paireB(k0 + ty);
        __syncthreads();
        for (int k = 0; k < COTE; ++k)
            acc += sa[ty][k] * sb[k][tx];
        __syncthreads();
    }
    if (lig < m && col < n)
        C[(size_t)lig * n + col] = acc;
}
