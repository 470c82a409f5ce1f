/*
 * Projet : multiplication réduite, version avec mémoire partagée.
 * On additionne les deux lignes de A et les deux colonnes de B au chargement.
 * Les tailles sont des macros (H et L doivent être pairs).
 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define H 100     /* lignes de A     */
#define P 75      /* colonnes de A = lignes de B */
#define L 62      /* colonnes de B   */
#define H2 (H / 2)
#define L2 (L / 2)
#define T 16

__global__ void multReduite(double *c, const double *a, const double *b)
{
    __shared__ double sommeA[T][T];
    __shared__ double sommeB[T][T];

    int i = blockIdx.y * T + threadIdx.y;
    int j = blockIdx.x * T + threadIdx.x;
    double r = 0;

    for (int t = 0; t < (P + T - 1) / T; t++)
    {
        int ka = t * T + threadIdx.x;
        int kb = t * T + threadIdx.y;

        if (i < H2 && ka < P)
            sommeA[threadIdx.y][threadIdx.x] = a[(2 * i) * P + ka] + a[(2 * i + 1) * P + ka];
        else
            sommeA[threadIdx.y][threadIdx.x] = 0;

        if (j < L2 && kb < P)
            sommeB[threadIdx.y][threadIdx.x] = b[kb * L + 2 * j] + b[kb * L + 2 * j + 1];
        else
            sommeB[threadIdx.y][threadIdx.x] = 0;

        __syncthreads();
        for (int k = 0; k < T; k++)
            r += sommeA[threadIdx.y][k] * sommeB[k][threadIdx.x];
        __syncthreads();
    }

    if (i < H2 && j < L2)
        c[i * L2 + j] = r;
}

static double A[H][P], B[P][L], C[H2][L2];

int main(void)
{
    int i, j, k, erreurs = 0;
    double *da, *db, *dc;

    for (i = 0; i < H; i++) for (k = 0; k < P; k++) A[i][k] = (i + 2 * k) % 9;
    for (k = 0; k < P; k++) for (j = 0; j < L; j++) B[k][j] = (3 * k + j) % 7 - 3;

    cudaMalloc((void **)&da, sizeof A);
    cudaMalloc((void **)&db, sizeof B);
    cudaMalloc((void **)&dc, sizeof C);
    cudaMemcpy(da, A, sizeof A, cudaMemcpyHostToDevice);
    cudaMemcpy(db, B, sizeof B, cudaMemcpyHostToDevice);

    dim3 bloc(T, T);
    dim3 grille((L2 + T - 1) / T, (H2 + T - 1) / T);
    multReduite<<<grille, bloc>>>(dc, da, db);
    cudaMemcpy(C, dc, sizeof C, cudaMemcpyDeviceToHost);

    for (i = 0; i < H2; i++)
        for (j = 0; j < L2; j++) {
            double s = 0;
            for (k = 0; k < P; k++)
                s += (A[2*i][k] + A[2*i+1][k]) * (B[k][2*j] + B[k][2*j+1]);
            if (s != C[i][j]) erreurs++;     /* entiers, donc exact */
        }
    printf("erreurs : %d sur %d\n", erreurs, H2 * L2);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return erreurs > 0;
}
