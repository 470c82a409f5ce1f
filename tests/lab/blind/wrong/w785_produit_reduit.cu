/* TP 4 - produit matriciel réduit
 *
 * P = A * B avec A (m x k) et B (k x n), m et n pairs, k quelconque.
 * C (m/2 x n/2) : chaque case est la somme d'un carré 2x2 de P.
 * On additionne les lignes de A et les colonnes de B deux à deux,
 * puis on fait un seul produit.
 */
#include <cstdio>
#include <cuda_runtime.h>

#define COTE 16

__global__ void produitReduit(const double *a, const double *b, double *c,
                              int m, int n, int k)
{
    __shared__ double paireA[COTE][COTE];
    __shared__ double paireB[COTE][COTE];

    const int mr = m / 2;
    const int nr = n / 2;
    const int i = blockIdx.y * COTE + threadIdx.y;
    const int j = blockIdx.x * COTE + threadIdx.x;

    double s = 0.0;
    for (int debut = 0; debut < k; debut += COTE) {
        const int ka = debut + threadIdx.x;
        const int kb = debut + threadIdx.y;

        double va = 0.0, vb = 0.0;
        if (i < mr && ka < k)
            va = a[(2 * i) * k + ka] + a[(2 * i + 1) * k + ka];
        if (j < nr && kb < k)
            vb = b[kb * n + 2 * j] + b[(kb + 1) * n + 2 * j];
        paireA[threadIdx.y][threadIdx.x] = va;
        paireB[threadIdx.y][threadIdx.x] = vb;
        __syncthreads();

        for (int q = 0; q < COTE; q++)
            s += paireA[threadIdx.y][q] * paireB[q][threadIdx.x];
        __syncthreads();
    }

    if (i < mr && j < nr)
        c[i * nr + j] = s;
}

int lancer(const double *a, const double *b, double *c, int m, int n, int k)
{
    dim3 bloc(COTE, COTE);
    dim3 grille((n / 2 + COTE - 1) / COTE, (m / 2 + COTE - 1) / COTE);
    produitReduit<<<grille, bloc>>>(a, b, c, m, n, k);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        fprintf(stderr, "erreur : %s\n", cudaGetErrorString(e));
        return 1;
    }
    return 0;
}
