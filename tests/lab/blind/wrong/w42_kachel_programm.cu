// Matrizenmultiplikation mit Kacheln, quadratische Matrizen der festen Groesse N
// (N ist durch KACHEL teilbar)
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define N 480
#define KACHEL 16

__global__ void kachelMultiplikation(float *a, float *b, float *c)
{
    __shared__ float ka[KACHEL][KACHEL];
    __shared__ float kb[KACHEL][KACHEL];
    int zeile = blockIdx.y * KACHEL + threadIdx.y;
    int spalte = blockIdx.x * KACHEL + threadIdx.x;
    float summe = 0;

    for (int p = 0; p < N / KACHEL; p++) {
        ka[threadIdx.y][threadIdx.x] = a[zeile * N + p * KACHEL + threadIdx.x];
        kb[threadIdx.y][threadIdx.x] = b[(p * KACHEL + threadIdx.x) * N + spalte];
        __syncthreads();
        for (int k = 0; k < KACHEL; k++)
            summe += ka[threadIdx.y][k] * kb[k][threadIdx.x];
        __syncthreads();
    }
    c[zeile * N + spalte] = summe;
}

static float ha[N * N], hb[N * N], hc[N * N];

int main()
{
    float *da, *db, *dc;
    int i, j, k, fehler = 0;
    for (i = 0; i < N * N; i++) {
        ha[i] = i % 12;
        hb[i] = i % 10;
    }
    cudaMalloc((void **)&da, sizeof(ha));
    cudaMalloc((void **)&db, sizeof(hb));
    cudaMalloc((void **)&dc, sizeof(hc));
    cudaMemcpy(da, ha, sizeof(ha), cudaMemcpyHostToDevice);
    cudaMemcpy(db, hb, sizeof(hb), cudaMemcpyHostToDevice);
    dim3 bloecke(N / KACHEL, N / KACHEL);
    dim3 faeden(KACHEL, KACHEL);
    kachelMultiplikation<<<bloecke, faeden>>>(da, db, dc);
    cudaMemcpy(hc, dc, sizeof(hc), cudaMemcpyDeviceToHost);
    for (i = 0; i < N; i++)
        for (j = 0; j < N; j++) {
            float s = 0;
            for (k = 0; k < N; k++) s += ha[i * N + k] * hb[k * N + j];
            if (s != hc[i * N + j]) fehler++;
        }
    printf("Fehler: %d\n", fehler);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    return 0;
}
