/* Cviceni 2: nasobeni matic, jedno vlakno na prvek */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOK_X 64
#define BLOK_Y 32

__global__ void nasob(const float *A, const float *B, float *C, int radky, int vnitrni, int sloupce)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    int r = blockIdx.y * blockDim.y + threadIdx.y;

    if (r < radky && s < sloupce) {
        float soucet = 0.0f;
        for (int k = 0; k < vnitrni; k++)
            soucet += A[r * vnitrni + k] * B[k * sloupce + s];
        C[r * sloupce + s] = soucet;
    }
}

int main()
{
    int radky = 256, vnitrni = 128, sloupce = 192;
    float *A = (float *)malloc(radky * vnitrni * sizeof(float));
    float *B = (float *)malloc(vnitrni * sloupce * sizeof(float));
    float *C = (float *)calloc(radky * sloupce, sizeof(float));
    for (int i = 0; i < radky * vnitrni; i++) A[i] = rand() % 10;
    for (int i = 0; i < vnitrni * sloupce; i++) B[i] = rand() % 10;

    float *gA, *gB, *gC;
    cudaMalloc((void **)&gA, radky * vnitrni * sizeof(float));
    cudaMalloc((void **)&gB, vnitrni * sloupce * sizeof(float));
    cudaMalloc((void **)&gC, radky * sloupce * sizeof(float));
    cudaMemcpy(gA, A, radky * vnitrni * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(gB, B, vnitrni * sloupce * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(gC, 0, radky * sloupce * sizeof(float));

    dim3 blok(BLOK_X, BLOK_Y);
    dim3 mrizka((sloupce + BLOK_X - 1) / BLOK_X, (radky + BLOK_Y - 1) / BLOK_Y);
    nasob<<<mrizka, blok>>>(gA, gB, gC, radky, vnitrni, sloupce);
    cudaDeviceSynchronize();
    cudaMemcpy(C, gC, radky * sloupce * sizeof(float), cudaMemcpyDeviceToHost);

    int chyb = 0;
    for (int i = 0; i < radky; i++)
        for (int j = 0; j < sloupce; j++) {
            float t = 0.0f;
            for (int k = 0; k < vnitrni; k++)
                t += A[i * vnitrni + k] * B[k * sloupce + j];
            if (fabsf(t - C[i * sloupce + j]) > 1e-3f)
                chyb++;
        }
    printf("chyb: %d\n", chyb);

    cudaFree(gA);
    cudaFree(gB);
    cudaFree(gC);
    free(A);
    free(B);
    free(C);
    return chyb > 0;
}
