// produto escalar de dois vetores (double)
// cada bloco deixa uma soma parcial e a CPU soma tudo no fim
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define NT 128
#define NB 60

__global__ void escalar(const double *x, const double *y, double *parciais, int n)
{
    __shared__ double s[NT];
    long long id = blockIdx.x * NT + threadIdx.x;

    double minha = 0.0;
    while (id < n) {
        minha += x[id] * y[id];
        id += NT * NB;
    }
    s[threadIdx.x] = minha;
    __syncthreads();

    int ativos = NT / 2;
    while (ativos > 0) {
        if (threadIdx.x < ativos)
            s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + ativos];
        __syncthreads();
        ativos = ativos / 2;
    }

    if (threadIdx.x == 0)
        parciais[blockIdx.x] = s[0];
}

int main()
{
    int n = 123457;
    size_t tam = n * sizeof(double);
    double *x = (double *)malloc(tam);
    double *y = (double *)malloc(tam);
    double parciais[NB];
    double certo = 0.0;

    for (int i = 0; i < n; i++) {
        x[i] = (i % 100) * 0.01;
        y[i] = (i % 77) * 0.1 - 3.0;
        certo += x[i] * y[i];
    }

    double *dx, *dy, *dp;
    if (cudaMalloc((void **)&dx, tam) != cudaSuccess ||
        cudaMalloc((void **)&dy, tam) != cudaSuccess ||
        cudaMalloc((void **)&dp, NB * sizeof(double)) != cudaSuccess) {
        printf("sem memoria na GPU: FAILED\n");
        return 1;
    }
    cudaMemcpy(dx, x, tam, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, tam, cudaMemcpyHostToDevice);

    escalar<<<NB, NT>>>(dx, dy, dp, n);   // todos os NB blocos escrevem a sua parcela

    cudaError_t erro = cudaGetLastError();
    if (erro == cudaSuccess)
        erro = cudaMemcpy(parciais, dp, NB * sizeof(double), cudaMemcpyDeviceToHost);
    if (erro != cudaSuccess) {
        printf("%s: FAILED\n", cudaGetErrorString(erro));
        return 1;
    }

    double soma = 0.0;
    for (int b = 0; b < NB; b++)
        soma += parciais[b];

    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dp);
    free(x);
    free(y);

    if (fabs(soma - certo) < 1e-6) {
        printf("gpu %.8f cpu %.8f OK\n", soma, certo);
        return 0;
    }
    printf("gpu %.8f cpu %.8f FAILED\n", soma, certo);
    return 1;
}
