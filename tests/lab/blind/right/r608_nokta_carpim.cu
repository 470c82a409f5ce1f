// Ödev 3: iki vektörün nokta çarpımı (double), iki aşamalı toplama
// n her değer olabilir (0 dahil)
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static const int IS_PARCACIGI = 256;
static const int EN_COK_BLOK = 512;

__device__ double blokToplami(double deger)
{
    __shared__ double warpToplam[32];
    int serit = threadIdx.x & 31;
    int warp  = threadIdx.x >> 5;

    for (int fark = 16; fark > 0; fark /= 2)
        deger += __shfl_xor_sync(0xffffffff, deger, fark);

    if (serit == 0)
        warpToplam[warp] = deger;
    __syncthreads();

    int warpSayisi = blockDim.x / 32;
    deger = 0.0;
    if (warp == 0) {
        if (serit < warpSayisi)
            deger = warpToplam[serit];
        for (int fark = 16; fark > 0; fark /= 2)
            deger += __shfl_xor_sync(0xffffffff, deger, fark);
    }
    return deger;   // sadece ilk warp'ta anlamlı
}

__global__ void asama1(const double *x, const double *y, double *ara, size_t n)
{
    double t = 0.0;
    size_t adim = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += adim)
        t += x[i] * y[i];

    t = blokToplami(t);
    if (threadIdx.x == 0)
        ara[blockIdx.x] = t;
}

__global__ void asama2(const double *ara, double *sonuc, int adet)
{
    double t = 0.0;
    for (int i = threadIdx.x; i < adet; i += blockDim.x)
        t += ara[i];
    t = blokToplami(t);
    if (threadIdx.x == 0)
        *sonuc = t;
}

double noktaCarpim(const double *hx, const double *hy, size_t n)
{
    if (n == 0) return 0.0;

    size_t gerekli = (n + IS_PARCACIGI - 1) / IS_PARCACIGI;
    int blok = gerekli < (size_t)EN_COK_BLOK ? (int)gerekli : EN_COK_BLOK;

    double *dx, *dy, *dara, *dsonuc, sonuc = 0.0;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMalloc(&dara, blok * sizeof(double));
    cudaMalloc(&dsonuc, sizeof(double));
    cudaMemcpy(dx, hx, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, hy, n * sizeof(double), cudaMemcpyHostToDevice);

    asama1<<<blok, IS_PARCACIGI>>>(dx, dy, dara, n);
    asama2<<<1, IS_PARCACIGI>>>(dara, dsonuc, blok);
    cudaMemcpy(&sonuc, dsonuc, sizeof(double), cudaMemcpyDeviceToHost);

    cudaFree(dx); cudaFree(dy); cudaFree(dara); cudaFree(dsonuc);
    return sonuc;
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoull(argv[1], nullptr, 10) : 500001;
    double *x = new double[n], *y = new double[n];
    double beklenen = 0.0;
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)(i % 13);
        y[i] = (double)(i % 4) - 1.0;
        beklenen += x[i] * y[i];
    }
    printf("gpu=%.3f cpu=%.3f\n", noktaCarpim(x, y, n), beklenen);
    delete[] x;
    delete[] y;
    return 0;
}
