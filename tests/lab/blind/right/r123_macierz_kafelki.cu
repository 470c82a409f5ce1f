/*
 * Zadanie 3 - mnozenie macierzy z pamiecia wspoldzielona
 * C[W x S] = A[W x P] * B[P x S]
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define KAFELEK 16

const int W = 70;
const int P = 45;
const int S = 101;

__global__ void mnoz(double *c, const double *a, const double *b, int w, int p, int s)
{
    __shared__ double ka[KAFELEK][KAFELEK];
    __shared__ double kb[KAFELEK][KAFELEK];

    int lw = threadIdx.y;
    int ls = threadIdx.x;
    int wiersz = blockIdx.y * KAFELEK + lw;
    int kolumna = blockIdx.x * KAFELEK + ls;
    int ileKafelkow = (p + KAFELEK - 1) / KAFELEK;
    double suma = 0.0;

    for (int t = 0; t < ileKafelkow; t++) {
        int ak = t * KAFELEK + ls;
        int bw = t * KAFELEK + lw;

        // poza macierza wstawiamy zera
        ka[lw][ls] = 0.0;
        kb[lw][ls] = 0.0;
        if (wiersz < w && ak < p)
            ka[lw][ls] = a[wiersz * p + ak];
        if (bw < p && kolumna < s)
            kb[lw][ls] = b[bw * s + kolumna];

        __syncthreads();
        for (int i = 0; i < KAFELEK; i++)
            suma += ka[lw][i] * kb[i][ls];
        __syncthreads();
    }

    if (wiersz < w && kolumna < s)
        c[wiersz * s + kolumna] = suma;
}

int main(void)
{
    size_t ba = sizeof(double) * W * P;
    size_t bb = sizeof(double) * P * S;
    size_t bc = sizeof(double) * W * S;
    double *a = (double *)malloc(ba);
    double *b = (double *)malloc(bb);
    double *c = (double *)malloc(bc);
    double *da, *db, *dc;
    int zle = 0;

    for (int i = 0; i < W * P; i++) a[i] = (i % 23) * 0.5;
    for (int i = 0; i < P * S; i++) b[i] = (i % 19) - 9.0;

    cudaMalloc((void **)&da, ba);
    cudaMalloc((void **)&db, bb);
    cudaMalloc((void **)&dc, bc);
    cudaMemcpy(da, a, ba, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, bb, cudaMemcpyHostToDevice);

    dim3 watki(KAFELEK, KAFELEK);
    dim3 bloki((S + KAFELEK - 1) / KAFELEK, (W + KAFELEK - 1) / KAFELEK);
    mnoz<<<bloki, watki>>>(dc, da, db, W, P, S);
    cudaMemcpy(c, dc, bc, cudaMemcpyDeviceToHost);

    for (int i = 0; i < W; i++)
        for (int j = 0; j < S; j++) {
            double s = 0.0;
            for (int k = 0; k < P; k++)
                s += a[i * P + k] * b[k * S + j];
            if (fabs(s - c[i * S + j]) > 1e-8)
                zle++;
        }
    printf(zle ? "BLAD: %d elementow\n" : "OK (%d)\n", zle);

    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c);
    return zle ? 1 : 0;
}
