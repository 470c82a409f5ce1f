// Tamsayi matris carpimi, dinamik paylasimli bellek ile.
// Karo boyu calisma aninda secilir (blok = karo x karo).
#include <stdio.h>
#include <stdlib.h>

__global__ void carp(const int *A, const int *B, int *C, int satir, int ortak, int sutun)
{
    extern __shared__ int bellek[];
    int T = blockDim.x;            // blockDim.y de ayni
    int *sa = bellek;              // T*T
    int *sb = bellek + T * T;      // T*T

    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * T + y;
    int j = blockIdx.x * T + x;

    int toplam = 0;
    for (int t = 0; t * T < ortak; t++) {
        int ka = t * T + x;
        int kb = t * T + y;
        sa[y * T + x] = 0;
        sb[y * T + x] = 0;
        if (i < satir && ka < ortak) sa[y * T + x] = A[(size_t)i * ortak + ka];
        if (kb < ortak && j < sutun) sb[y * T + x] = B[(size_t)kb * sutun + j];
        __syncthreads();
        for (int p = 0; p < T; p++)
            toplam += sa[y * T + p] * sb[p * T + x];
        __syncthreads();
    }
    if (i < satir && j < sutun) C[(size_t)i * sutun + j] = toplam;
}

int main(void)
{
    int satir = 61, ortak = 47, sutun = 90;
    int karolar[3] = {8, 12, 32};
    size_t ba = sizeof(int) * satir * ortak;
    size_t bb = sizeof(int) * ortak * sutun;
    size_t bc = sizeof(int) * satir * sutun;
    int *A = (int *)malloc(ba), *B = (int *)malloc(bb), *C = (int *)malloc(bc);
    int *beklenen = (int *)malloc(bc);
    for (int i = 0; i < satir * ortak; i++) A[i] = rand() % 201 - 100;
    for (int i = 0; i < ortak * sutun; i++) B[i] = rand() % 201 - 100;
    for (int i = 0; i < satir; i++)
        for (int j = 0; j < sutun; j++) {
            int s = 0;
            for (int p = 0; p < ortak; p++) s += A[i * ortak + p] * B[p * sutun + j];
            beklenen[i * sutun + j] = s;
        }

    int *dA, *dB, *dC;
    cudaMalloc((void **)&dA, ba);
    cudaMalloc((void **)&dB, bb);
    cudaMalloc((void **)&dC, bc);
    cudaMemcpy(dA, A, ba, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, bb, cudaMemcpyHostToDevice);

    int hata = 0;
    for (int d = 0; d < 3; d++) {
        int T = karolar[d];
        dim3 blok(T, T);
        dim3 izgara((sutun + T - 1) / T, (satir + T - 1) / T);
        cudaMemset(dC, 0xff, bc);   /* eski sonuc kalmasin */
        carp<<<izgara, blok, 2 * T * T * sizeof(int)>>>(dA, dB, dC, satir, ortak, sutun);
        if (cudaGetLastError() != cudaSuccess) hata++;
        if (cudaMemcpy(C, dC, bc, cudaMemcpyDeviceToHost) != cudaSuccess) hata++;
        for (int i = 0; i < satir * sutun; i++)
            if (C[i] != beklenen[i]) hata++;
    }
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C); free(beklenen);
    printf("tamsayi carpim, hata sayisi = %d ... %s\n", hata, hata == 0 ? "OK" : "FAILED");
    return hata == 0 ? 0 : 1;
}
