#include <cuda_runtime.h>
#include <cstdio>

struct Boyut { int satir, ic, sutun; };
__constant__ Boyut boyut;

#define KARO 16

// odev 3: boyutlar sabit bellekte
__global__ void carp(const float *a, const float *b, float *c)
{
    __shared__ float ka[KARO][KARO];
    __shared__ float kb[KARO][KARO];
    const int s = blockIdx.y * KARO + threadIdx.y;
    const int t = blockIdx.x * KARO + threadIdx.x;
    float toplam = 0.0f;

    for (int adim = 0; adim < boyut.ic; adim += KARO) {
        int ia = adim + threadIdx.x, ib = adim + threadIdx.y;
        ka[threadIdx.y][threadIdx.x] = (s < boyut.satir && ia < boyut.ic) ? a[s * boyut.ic + ia] : 0.0f;
        kb[threadIdx.y][threadIdx.x] = (t < boyut.sutun && ib < boyut.ic) ? b[ib * boyut.sutun + t] : 0.0f;
        __syncthreads();
        for (int i = 0; i < KARO; ++i)
            toplam += ka[threadIdx.y][i] * kb[i][threadIdx.x];
        __syncthreads();
    }
    if (s < boyut.satir && t < boyut.sutun)
        c[s * boyut.sutun + t] = toplam;
}

int main()
{
    Boyut h = {26, 35, 51};
    cudaMemcpyToSymbol(boyut, &h, sizeof(h));
    float *a, *b, *c;
    cudaMallocManaged(&a, h.satir * h.ic * sizeof(float));
    cudaMallocManaged(&b, h.ic * h.sutun * sizeof(float));
    cudaMallocManaged(&c, h.satir * h.sutun * sizeof(float));
    for (int i = 0; i < h.satir * h.ic; ++i) a[i] = i % 10;
    for (int i = 0; i < h.ic * h.sutun; ++i) b[i] = i % 6;
    dim3 blok(KARO, KARO);
    dim3 izgara((h.sutun + KARO - 1) / KARO, (h.satir + KARO - 1) / KARO);
    carp<<<izgara, blok>>>(a, b, c);
    cudaDeviceSynchronize();
    printf("c[0] = %f\n", c[0]);
    cudaFree(a); cudaFree(b); cudaFree(c);
    return 0;
}
