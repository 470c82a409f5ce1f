// Produto interno em duas etapas
// etapa 1: cada bloco grava uma soma parcial
// etapa 2: um único bloco soma as parciais
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define NTHREADS    256
#define MAX_BLOCOS  1024

__device__ void reduzBloco(volatile float *s, int tid)
{
    for (int passo = NTHREADS / 2; passo > 0; passo >>= 1) {
        if (tid < passo) s[tid] += s[tid + passo];
        __syncthreads();
    }
}

__global__ void etapa1(const float *x, const float *y, float *parcial, int n)
{
    __shared__ float s[NTHREADS];
    int tid = threadIdx.x;
    float soma = 0.0f;
    for (int i = blockIdx.x * NTHREADS + tid; i < n; i += gridDim.x * NTHREADS)
        soma += x[i] * y[i];
    s[tid] = soma;
    __syncthreads();
    reduzBloco(s, tid);
    if (tid == 0) parcial[blockIdx.x] = s[0];
}

__global__ void etapa2(const float *parcial, float *resultado, int nparciais)
{
    __shared__ float s[NTHREADS];
    int tid = threadIdx.x;
    s[tid] = (tid < nparciais) ? parcial[tid] : 0.0f;
    __syncthreads();
    reduzBloco(s, tid);
    if (tid == 0) *resultado = s[0];
}

int main(int argc, char **argv)
{
    int n = 40000;
    if (argc == 2) n = atoi(argv[1]);
    if (n <= 0) { fprintf(stderr, "n invalido\n"); return 1; }

    float *x = (float *)malloc(n * sizeof(float));
    float *y = (float *)malloc(n * sizeof(float));
    double ref = 0.0;
    for (int i = 0; i < n; i++) {
        x[i] = (float)rand() / RAND_MAX;
        y[i] = (float)rand() / RAND_MAX;
        ref += (double)x[i] * y[i];
    }

    int blocos = (n + NTHREADS - 1) / NTHREADS;
    if (blocos > MAX_BLOCOS) blocos = MAX_BLOCOS;

    float *dx, *dy, *dparcial, *dres;
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, n * sizeof(float));
    cudaMalloc(&dparcial, blocos * sizeof(float));
    cudaMalloc(&dres, sizeof(float));
    cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, n * sizeof(float), cudaMemcpyHostToDevice);

    etapa1<<<blocos, NTHREADS>>>(dx, dy, dparcial, n);
    etapa2<<<1, NTHREADS>>>(dparcial, dres, blocos);

    float res;
    cudaMemcpy(&res, dres, sizeof(float), cudaMemcpyDeviceToHost);
    printf("GPU %f  CPU %f  erro relativo %g\n", res, ref, fabs(res - ref) / ref);

    cudaFree(dx); cudaFree(dy); cudaFree(dparcial); cudaFree(dres);
    free(x); free(y);
    return 0;
}
