// Trabalho 2 - produto interno de vetores inteiros num só kernel
// O último bloco a terminar soma os parciais de todos os blocos.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define NT 128
#define MAX_BLOCOS 64

__device__ unsigned int terminados = 0;
__device__ long long parciais[MAX_BLOCOS];

__global__ void interno(const int *a, const int *b, long long *saida, int n)
{
    __shared__ long long buf[NT];
    __shared__ bool souUltimo;
    int t = threadIdx.x;

    long long s = 0;
    for (int i = blockIdx.x * NT + t; i < n; i += gridDim.x * NT)
        s += (long long)a[i] * b[i];
    buf[t] = s;
    __syncthreads();
    for (int d = NT / 2; d > 0; d /= 2) {
        if (t < d) buf[t] += buf[t + d];
        __syncthreads();
    }

    if (t == 0) {
        parciais[blockIdx.x] = buf[0];
        __threadfence();
        unsigned int v = atomicAdd(&terminados, 1u);
        souUltimo = (v == gridDim.x - 1);
    }
    __syncthreads();

    if (souUltimo) {
        __threadfence();
        // MAX_BLOCOS <= NT: cada thread lê no máximo um parcial
        buf[t] = (t < gridDim.x) ? ((volatile long long *)parciais)[t] : 0;
        __syncthreads();
        for (int d = NT / 2; d > 0; d /= 2) {
            if (t < d) buf[t] += buf[t + d];
            __syncthreads();
        }
        if (t == 0) {
            *saida = buf[0];
            terminados = 0;      // pronto para a próxima chamada
        }
    }
}

int main(int argc, char **argv)
{
    int n = (argc > 1) ? atoi(argv[1]) : 500000;
    if (n < 1 || n > 100000000) return 1;
    int *a = (int *)malloc(n * sizeof(int));
    int *b = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) { a[i] = i % 1000 - 300; b[i] = 700 - i % 999; }

    int *da, *db;
    long long *ds, gpu, cpu = 0;
    cudaMalloc(&da, n * sizeof(int));
    cudaMalloc(&db, n * sizeof(int));
    cudaMalloc(&ds, sizeof(long long));
    cudaMemcpy(da, a, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, n * sizeof(int), cudaMemcpyHostToDevice);

    int blocos = (n + NT - 1) / NT;
    if (blocos > MAX_BLOCOS) blocos = MAX_BLOCOS;

    for (int vez = 0; vez < 3; vez++) {       // repetir tem de dar o mesmo
        interno<<<blocos, NT>>>(da, db, ds, n);
        cudaMemcpy(&gpu, ds, sizeof(gpu), cudaMemcpyDeviceToHost);
        printf("chamada %d: %lld\n", vez, gpu);
    }
    for (int i = 0; i < n; i++) cpu += (long long)a[i] * b[i];
    printf("cpu: %lld -> %s\n", cpu, cpu == gpu ? "igual" : "diferente");

    cudaFree(da); cudaFree(db); cudaFree(ds);
    free(a); free(b);
    return 0;
}
