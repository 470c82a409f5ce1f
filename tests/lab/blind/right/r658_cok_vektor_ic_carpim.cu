// Birden çok vektör çifti için iç çarpım: her blok bir çift.
// Vektörler arka arkaya durur; p. çift n elemanlık p. satırdır.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define KONTROL(f) if ((f) != cudaSuccess) { printf("CUDA hatasi, satir %d\n", __LINE__); exit(1); }

__global__ void icCarpimlar(const float *u, const float *v, float *sonuc, int n)
{
    extern __shared__ float ara[];
    const float *us = u + (size_t)blockIdx.x * n;
    const float *vs = v + (size_t)blockIdx.x * n;

    float t = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        t += us[i] * vs[i];
    ara[threadIdx.x] = t;

    // blok boyu ikinin kuvveti olmak zorunda değil
    int kalan = blockDim.x;
    while (kalan > 1) {
        int yari = (kalan + 1) / 2;
        __syncthreads();
        if (threadIdx.x + yari < kalan)
            ara[threadIdx.x] += ara[threadIdx.x + yari];
        kalan = yari;
    }
    if (threadIdx.x == 0)
        sonuc[blockIdx.x] = ara[0];
}

int main()
{
    const int cift = 37, n = 450, iplik = 100;
    size_t bayt = (size_t)cift * n * sizeof(float);
    float *u = (float *)malloc(bayt), *v = (float *)malloc(bayt);
    float sonuc[cift];
    for (int i = 0; i < cift * n; ++i) {
        u[i] = (float)(i % 8) * 0.5f;
        v[i] = (float)(i % 3) - 1.0f;
    }

    float *du, *dv, *ds;
    KONTROL(cudaMalloc(&du, bayt));
    KONTROL(cudaMalloc(&dv, bayt));
    KONTROL(cudaMalloc(&ds, cift * sizeof(float)));
    KONTROL(cudaMemcpy(du, u, bayt, cudaMemcpyHostToDevice));
    KONTROL(cudaMemcpy(dv, v, bayt, cudaMemcpyHostToDevice));
    icCarpimlar<<<cift, iplik, iplik * sizeof(float)>>>(du, dv, ds, n);
    KONTROL(cudaGetLastError());
    KONTROL(cudaMemcpy(sonuc, ds, sizeof(sonuc), cudaMemcpyDeviceToHost));

    int yanlis = 0;
    for (int p = 0; p < cift; ++p) {
        float t = 0.0f;
        for (int i = 0; i < n; ++i) t += u[p * n + i] * v[p * n + i];
        if (fabsf(t - sonuc[p]) > 1e-3f) ++yanlis;
    }
    printf("yanlis: %d / %d\n", yanlis, cift);
    cudaFree(du); cudaFree(dv); cudaFree(ds);
    free(u); free(v);
    return yanlis;
}
