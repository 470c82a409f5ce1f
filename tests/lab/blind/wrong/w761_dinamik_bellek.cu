// Odev 4: dinamik paylasimli bellek ile kare matris carpimi (n x n)
// Karo kenari calisma aninda secilir (8, 16 ya da 32).
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

__global__ void carp(const float *A, const float *B, float *C, int n)
{
    extern __shared__ float bellek[];
    const int kenar = blockDim.x;
    float *karoA = bellek;
    float *karoB = bellek + kenar * kenar;

    int satir = blockIdx.y * kenar + threadIdx.y;
    int sutun = blockIdx.x * kenar + threadIdx.x;
    int yer = threadIdx.y * kenar + threadIdx.x;
    float toplam = 0.0f;

    for (int bas = 0; bas < n; bas += kenar) {
        karoA[yer] = 0.0f;
        karoB[yer] = 0.0f;
        if (satir < n && bas + (int)threadIdx.x < n)
            karoA[yer] = A[satir * n + bas + threadIdx.x];
        if (sutun < n && bas + (int)threadIdx.y < n)
            karoB[yer] = B[(bas + threadIdx.y) * n + sutun];
        __syncthreads();

        for (int i = 0; i < kenar; i++)
            toplam += karoA[threadIdx.y * kenar + i] * karoB[i * kenar + threadIdx.x];
        __syncthreads();
    }

    if (satir < n && sutun < n)
        C[satir * n + sutun] = toplam;
}

int main(int argc, char *argv[])
{
    int n = (argc > 1) ? atoi(argv[1]) : 200;
    int kenar = (argc > 2) ? atoi(argv[2]) : 16;
    if (kenar != 8 && kenar != 16 && kenar != 32) {
        printf("kenar 8, 16 ya da 32 olmali\n");
        return 1;
    }

    size_t bayt = (size_t)n * n * sizeof(float);
    float *hA = (float *)malloc(bayt);
    float *hB = (float *)malloc(bayt);
    float *hC = (float *)malloc(bayt);
    for (int i = 0; i < n * n; i++) {
        hA[i] = rand() / (float)RAND_MAX;
        hB[i] = rand() / (float)RAND_MAX;
    }

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, bayt);
    cudaMalloc((void **)&dB, bayt);
    cudaMalloc((void **)&dC, bayt);
    cudaMemcpy(dA, hA, bayt, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, bayt, cudaMemcpyHostToDevice);

    int adet = (n + kenar - 1) / kenar;
    size_t paylasimli = kenar * kenar * sizeof(float);
    carp<<<dim3(adet, adet), dim3(kenar, kenar), paylasimli>>>(dA, dB, dC, n);

    cudaError_t hata = cudaDeviceSynchronize();
    if (hata != cudaSuccess) {
        printf("hata: %s\n", cudaGetErrorString(hata));
        return 1;
    }
    cudaMemcpy(hC, dC, bayt, cudaMemcpyDeviceToHost);

    double fark = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double t = 0.0;
            for (int p = 0; p < n; p++)
                t += (double)hA[i * n + p] * hB[p * n + j];
            double d = fabs(t - hC[i * n + j]);
            if (d > fark) fark = d;
        }
    }
    printf("en buyuk fark: %e (%s)\n", fark, fark < 1e-2 ? "dogru" : "yanlis");

    free(hA); free(hB); free(hC);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return 0;
}
