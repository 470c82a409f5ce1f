#include <cstdio>
#include <cuda_runtime.h>

#define N_SATIR 50
#define N_IC 30
#define N_SUTUN 40

// Matris carpimi, boyutlar makro
__global__ void matrisCarp(const float *a, const float *b, float *c)
{
    int sutun = blockIdx.x * blockDim.x + threadIdx.x;
    int satir = blockIdx.y * blockDim.y + threadIdx.y;
    if (satir < N_SATIR && sutun < N_SUTUN) {
        int toplam = 0;
        for (int i = 0; i < N_IC; i++) {
            toplam += a[satir * N_IC + i] * b[i * N_SUTUN + sutun];
        }
        c[satir * N_SUTUN + sutun] = toplam;
    }
}

int main()
{
    float *a, *b, *c;
    cudaMallocManaged(&a, N_SATIR * N_IC * sizeof(float));
    cudaMallocManaged(&b, N_IC * N_SUTUN * sizeof(float));
    cudaMallocManaged(&c, N_SATIR * N_SUTUN * sizeof(float));
    for (int i = 0; i < N_SATIR * N_IC; i++) a[i] = 0.3f * (i % 4);
    for (int i = 0; i < N_IC * N_SUTUN; i++) b[i] = 0.7f * (i % 3);

    dim3 blok(8, 32);
    dim3 izgara((N_SUTUN + blok.x - 1) / blok.x, (N_SATIR + blok.y - 1) / blok.y);
    matrisCarp<<<izgara, blok>>>(a, b, c);
    cudaDeviceSynchronize();
    for (int i = 0; i < 5; i++) printf("%f ", c[i]);
    printf("\n");
    return 0;
}
