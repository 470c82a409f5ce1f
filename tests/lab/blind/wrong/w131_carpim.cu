/* Odev 1: N x N matris carpimi, her is parcacigi bir eleman hesaplar */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define N 128
#define BLOK 16

__global__ void carp(double *A, double *B, double *C)
{
    int satir = blockIdx.y * BLOK + threadIdx.y;
    int sutun = blockIdx.x * BLOK + threadIdx.x;
    double toplam = 0.0;

    for (int k = 0; k < N; k++)
        toplam += A[satir * N + k] * B[k * N + sutun];

    C[satir * N + sutun] = toplam;
}

int main()
{
    static double A[N * N], B[N * N], C[N * N];
    double *gA, *gB, *gC;

    for (int i = 0; i < N * N; i++) {
        A[i] = (i % 12) + 1;
        B[i] = (i % 5) + 1;
    }

    cudaMalloc((void **)&gA, N * N * sizeof(double));
    cudaMalloc((void **)&gB, N * N * sizeof(double));
    cudaMalloc((void **)&gC, N * N * sizeof(double));
    cudaMemcpy(gA, A, N * N * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(gB, B, N * N, cudaMemcpyHostToDevice);

    dim3 izgara(N / BLOK, N / BLOK);
    dim3 blok(BLOK, BLOK);
    carp<<<izgara, blok>>>(gA, gB, gC);
    cudaMemcpy(C, gC, N * N * sizeof(double), cudaMemcpyDeviceToHost);

    int hata = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double t = 0.0;
            for (int k = 0; k < N; k++)
                t += A[i * N + k] * B[k * N + j];
            if (!(fabs(t - C[i * N + j]) < 1e-6))
                hata++;
        }
    printf("hatali eleman sayisi: %d\n", hata);

    cudaFree(gA);
    cudaFree(gB);
    cudaFree(gC);
    return hata != 0;
}
