// Lista 2, exercício 4: produto interno com atomicAdd e medição de tempo
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define TPB 128

__global__ void dot(const int *a, const int *b, unsigned long long *res, int n)
{
    __shared__ unsigned long long parcial[TPB];
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    // threads que sobram contribuem com zero
    unsigned long long v = 0;
    if (i < n)
        v = (unsigned long long)a[i] * b[i];
    parcial[threadIdx.x] = v;
    __syncthreads();

    for (int passo = TPB / 2; passo >= 1; passo = passo / 2) {
        if (threadIdx.x < passo)
            parcial[threadIdx.x] += parcial[threadIdx.x + passo];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(res, parcial[0]);
}

int main(int argc, char **argv)
{
    int n = 1000000;
    int repeticoes = 1;               // para medir o tempo médio
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) repeticoes = atoi(argv[2]);
    if (n < 1 || repeticoes < 1) return 1;

    int *a = (int *)malloc(n * sizeof(int));
    int *b = (int *)malloc(n * sizeof(int));
    unsigned long long certo = 0;
    for (int i = 0; i < n; i++) {
        a[i] = rand() % 1000;
        b[i] = rand() % 1000;
        certo += (unsigned long long)a[i] * b[i];
    }

    int *da, *db;
    unsigned long long *dres, res;
    cudaMalloc(&da, n * sizeof(int));
    cudaMalloc(&db, n * sizeof(int));
    cudaMalloc(&dres, sizeof(unsigned long long));
    cudaMemcpy(da, a, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, n * sizeof(int), cudaMemcpyHostToDevice);

    cudaEvent_t inicio, fim;
    cudaEventCreate(&inicio);
    cudaEventCreate(&fim);

    // o acumulador precisa começar em zero
    cudaMemset(dres, 0, sizeof(unsigned long long));
    cudaEventRecord(inicio);
    for (int r = 0; r < repeticoes; r++) {
        dot<<<(n + TPB - 1) / TPB, TPB>>>(da, db, dres, n);
    }
    cudaEventRecord(fim);
    cudaEventSynchronize(fim);

    float ms = 0;
    cudaEventElapsedTime(&ms, inicio, fim);
    cudaMemcpy(&res, dres, sizeof(res), cudaMemcpyDeviceToHost);
    printf("tempo medio: %f ms\n", ms / repeticoes);
    printf("gpu = %llu, cpu = %llu, %s\n", res, certo, res == certo ? "ok" : "diferente");

    cudaEventDestroy(inicio);
    cudaEventDestroy(fim);
    cudaFree(da); cudaFree(db); cudaFree(dres);
    free(a); free(b);
    return 0;
}
