#include <cuda_runtime.h>

#define T 32   /* cote d'une tuile */
#define H 8    /* lignes de threads par bloc */

/* Produit de matrices d'entiers. Toutes les dimensions sont des multiples de T,
   la fonction produit() le verifie. */
__global__ void produit_tuiles(const int *a, const int *b, int *c, int n, int p)
{
    __shared__ int ta[T][T];
    __shared__ int tbt[T][T + 1];     /* tuile de b, transposee */

    int tx = threadIdx.x, ty = threadIdx.y;
    int lig = blockIdx.y * T + ty;
    int col = blockIdx.x * T + tx;
    int s0 = 0, s1 = 0, s2 = 0, s3 = 0;

    for (int debut = 0; debut != p; debut += T)
    {
        for (int d = 0; d < T; d += H)
        {
            ta[ty + d][tx]  = a[(lig + d) * p + debut + tx];
            tbt[tx][ty + d] = b[(debut + ty + d) * n + col];
        }
        __syncthreads();

        for (int k = 0; k < T; k++)
        {
            int v = tbt[tx][k];
            s0 += ta[ty][k] * v;
            s1 += ta[ty + H][k] * v;
            s2 += ta[ty + 2 * H][k] * v;
            s3 += ta[ty + 3 * H][k] * v;
        }
        __syncthreads();
    }

    c += lig * n + col;
    c[0] = s0;
    c[H * n] = s1;
    c[2 * H * n] = s2;
    c[3 * H * n] = s3;
}

/* a: m x p, b: p x n, c: m x n (sur le GPU) */
bool produit(const int *a, const int *b, int *c, int m, int n, int p)
{
    if (m <= 0 || n <= 0 || p <= 0) return false;
    if (m % T || n % T || p % T) return false;
    dim3 bloc(T, H), grille(n / T, m / T);
    produit_tuiles<<<grille, bloc>>>(a, b, c, n, p);
    return cudaGetLastError() == cudaSuccess;
}
