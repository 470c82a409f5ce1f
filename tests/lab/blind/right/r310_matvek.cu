// Ödev 3: matris-vektör çarpımı, her satır için bir warp
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOK 256
#define WARP 32

#define KONTROL(x) if ((x) != cudaSuccess) { printf("hata: satir %d\n", __LINE__); exit(1); }

__global__ void matvek(const float *A, const float *x, float *y, int satirSayisi, int sutunSayisi)
{
    int genel = blockIdx.x * blockDim.x + threadIdx.x;
    int satir = genel / WARP;
    int serit = threadIdx.x % WARP;

    // bir warp'ın bütün thread'leri aynı satırdadır, hep birlikte çıkarlar
    if (satir >= satirSayisi) return;

    float t = 0.0f;
    for (int j = serit; j < sutunSayisi; j += WARP)
        t += A[(size_t)satir * sutunSayisi + j] * x[j];

    for (int d = WARP / 2; d > 0; d >>= 1)
        t += __shfl_down_sync(0xffffffff, t, d);

    if (serit == 0)
        y[satir] = t;
}

int main()
{
    int R = 1021, S = 777;
    float *A = (float*)malloc(R * S * sizeof(float));
    float *x = (float*)malloc(S * sizeof(float));
    float *y = (float*)malloc(R * sizeof(float));
    int i, j;
    for (i = 0; i < R * S; i++) A[i] = (float)(rand() % 10) / 10;
    for (i = 0; i < S; i++) x[i] = (float)(rand() % 10) / 10;

    float *dA, *dx, *dy;
    KONTROL(cudaMalloc(&dA, R * S * sizeof(float)));
    KONTROL(cudaMalloc(&dx, S * sizeof(float)));
    KONTROL(cudaMalloc(&dy, R * sizeof(float)));
    KONTROL(cudaMemcpy(dA, A, R * S * sizeof(float), cudaMemcpyHostToDevice));
    KONTROL(cudaMemcpy(dx, x, S * sizeof(float), cudaMemcpyHostToDevice));

    int warpBasinaBlok = BLOK / WARP;
    matvek<<<(R + warpBasinaBlok - 1) / warpBasinaBlok, BLOK>>>(dA, dx, dy, R, S);
    KONTROL(cudaGetLastError());
    KONTROL(cudaMemcpy(y, dy, R * sizeof(float), cudaMemcpyDeviceToHost));

    int yanlis = 0;
    for (i = 0; i < R; i++) {
        double t = 0;
        for (j = 0; j < S; j++) t += A[i * S + j] * x[j];
        if (fabs(t - y[i]) > 1e-2) yanlis++;
    }
    printf("yanlis satir: %d\n", yanlis);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    free(A); free(x); free(y);
    return 0;
}
