// Produto escalar em dois estágios
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define FIOS 256
#define MAX_BLOCOS 1024

__device__ void somaNoBloco(float *s)
{
    int t = threadIdx.x;
    __syncthreads();
    for (int passo = FIOS / 2; passo > 0; passo /= 2) {
        if (t < passo) s[t] += s[t + passo];
        __syncthreads();
    }
}

__global__ void estagio1(const float *x, const float *y, int n, float *parcial)
{
    __shared__ float s[FIOS];
    float v = 0.0f;
    for (int i = blockIdx.x * FIOS + threadIdx.x; i < n; i += gridDim.x * FIOS)
        v += x[i] * y[i];
    s[threadIdx.x] = v;
    somaNoBloco(s);
    if (threadIdx.x == 0) parcial[blockIdx.x] = s[0];
}

// um bloco só, junta as somas parciais
__global__ void estagio2(const float *parcial, int qtd, float *resultado)
{
    __shared__ float s[FIOS];
    int t = threadIdx.x;
    s[t] = t < qtd ? parcial[t] : 0.0f;
    somaNoBloco(s);
    if (t == 0) *resultado = s[0];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 500000;
    size_t bytes = n * sizeof(float);
    float *x = (float *)malloc(bytes), *y = (float *)malloc(bytes);
    double certo = 0.0;
    for (int i = 0; i < n; i++) {
        x[i] = (i % 17) * 0.1f;
        y[i] = (i % 5) * 0.2f;
        certo += (double)x[i] * y[i];
    }

    int blocos = (n + FIOS - 1) / FIOS;
    if (blocos > MAX_BLOCOS) blocos = MAX_BLOCOS;

    float *dx, *dy, *dp, *dr, r;
    cudaMalloc(&dx, bytes);
    cudaMalloc(&dy, bytes);
    cudaMalloc(&dp, blocos * sizeof(float));
    cudaMalloc(&dr, sizeof(float));
    cudaMemcpy(dx, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, bytes, cudaMemcpyHostToDevice);

    estagio1<<<blocos, FIOS>>>(dx, dy, n, dp);
    estagio2<<<1, FIOS>>>(dp, blocos, dr);
    cudaMemcpy(&r, dr, sizeof(float), cudaMemcpyDeviceToHost);

    printf("gpu = %f  cpu = %f  erro relativo = %g\n", r, certo, fabs(r - certo) / certo);
    cudaFree(dx); cudaFree(dy); cudaFree(dp); cudaFree(dr);
    free(x); free(y);
    return 0;
}
