/*
 * TP 6 : produit reduit
 *
 *   C[i][j] = somme_q (A[2i][q] + A[2i+1][q]) * (B[q][2j] + B[q][2j+1])
 *
 *   A : m x k   B : k x n   C : m/2 x n/2    (m, n pairs ; k libre)
 *
 * Lancement :
 *   dim3 bloc(32, 8);
 *   dim3 grille((n/2 + 31) / 32, (m/2 + 7) / 8);
 *   produit_reduit<<<grille, bloc>>>(A, B, C, m, n, k);
 */
#include <cuda_runtime.h>

#define LARG 32
#define HAUT 8

__global__ void produit_reduit(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float sa[HAUT][LARG];
    __shared__ float sb[LARG][LARG];

    const int mr = m / 2;
    const int nr = n / 2;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int i = blockIdx.y * HAUT + ty;
    const int j = blockIdx.x * LARG + tx;

    float acc = 0.0f;

    for (int q0 = 0; q0 < k; q0 += LARG) {
        // deux lignes de A additionnees
        if (i < mr && q0 + tx < k) {
            const float *haut = A + (2 * i) * k;
            const float *bas = haut + k;
            sa[ty][tx] = haut[q0 + tx] + bas[q0 + tx];
        } else {
            sa[ty][tx] = 0.0f;
        }

        // deux colonnes de B additionnees, lecture coalescee
        for (int q = ty; q < LARG; q += HAUT) {
            float v = 0.0f;
            if (q0 + q < k && j < nr) {
                const float *ligne = B + (q0 + q) * n;
                v = ligne[j] + ligne[j + nr];
            }
            sb[q][tx] = v;
        }
        __syncthreads();

        for (int q = 0; q < LARG; q++)
            acc += sa[ty][q] * sb[q][tx];
        __syncthreads();
    }

    if (i < mr && j < nr)
        C[i * nr + j] = acc;
}
