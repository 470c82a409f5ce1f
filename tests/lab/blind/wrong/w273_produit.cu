/* produit C = A.B, A : m x p, B : p x n ; version mémoire partagée 8x8 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define CARREAU 8

typedef struct { int m, n, p; } Tailles;

__device__ double lireA(const double *a, Tailles t, int i, int k) {
    return (i < t.m && k < t.p) ? a[i * t.p + k] : 0.0;
}
__device__ double lireB(const double *b, Tailles t, int k, int j) {
    return (k < t.p && j < t.n) ? b[k * t.p + j] : 0.0;
}

__global__ void produit(const double *a, const double *b, double *c, Tailles t) {
    __shared__ double sa[CARREAU][CARREAU], sb[CARREAU][CARREAU];
    int i = blockIdx.y * CARREAU + threadIdx.y;
    int j = blockIdx.x * CARREAU + threadIdx.x;
    double somme = 0.0;
    int nb = (t.p + CARREAU - 1) / CARREAU;
    for (int q = 0; q < nb; q++) {
        sa[threadIdx.y][threadIdx.x] = lireA(a, t, i, q * CARREAU + threadIdx.x);
        sb[threadIdx.y][threadIdx.x] = lireB(b, t, q * CARREAU + threadIdx.y, j);
        __syncthreads();
        for (int k = 0; k < CARREAU; k++)
            somme += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    if (i < t.m && j < t.n) c[i * t.n + j] = somme;
}

int main(void) {
    Tailles t = {70, 160, 96};
    int na = t.m * t.p, nb = t.p * t.n, nc = t.m * t.n;
    double *ha = (double *)malloc(na * sizeof(double));
    double *hb = (double *)malloc(nb * sizeof(double));
    double *hc = (double *)malloc(nc * sizeof(double));
    for (int i = 0; i < na; i++) ha[i] = rand() % 10;
    for (int i = 0; i < nb; i++) hb[i] = rand() % 10;

    double *da, *db, *dc;
    cudaMalloc((void **)&da, na * sizeof(double));
    cudaMalloc((void **)&db, nb * sizeof(double));
    cudaMalloc((void **)&dc, nc * sizeof(double));
    cudaMemcpy(da, ha, na * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, hb, nb * sizeof(double), cudaMemcpyHostToDevice);

    dim3 bloc(CARREAU, CARREAU);
    dim3 grille((t.n + CARREAU - 1) / CARREAU, (t.m + CARREAU - 1) / CARREAU);
    produit<<<grille, bloc>>>(da, db, dc, t);
    cudaMemcpy(hc, dc, nc * sizeof(double), cudaMemcpyDeviceToHost);

    double ecart = 0;
    for (int i = 0; i < t.m; i++)
        for (int j = 0; j < t.n; j++) {
            double s = 0;
            for (int k = 0; k < t.p; k++) s += ha[i * t.p + k] * hb[k * t.n + j];
            if (fabs(s - hc[i * t.n + j]) > ecart) ecart = fabs(s - hc[i * t.n + j]);
        }
    printf("écart maximal : %g (%s)\n", ecart, cudaGetErrorString(cudaGetLastError()));
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(ha); free(hb); free(hc);
    return ecart > 1e-9;
}
