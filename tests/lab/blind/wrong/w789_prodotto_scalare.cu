// Prodotto scalare di due vettori di n elementi (n da 1 a 100 milioni).
// Ogni blocco riduce ad albero nella memoria condivisa, poi somma
// il suo parziale nel risultato globale con una atomicAdd.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void prodottoScalare(const float *u, const float *v, float *ris, int n)
{
    extern __shared__ float cache[];
    int tid = threadIdx.x;
    int passo = gridDim.x * blockDim.x;

    float temp = 0.0f;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += passo)
        temp += u[i] * v[i];

    cache[tid] = temp;
    __syncthreads();

    for (int s = blockDim.x / 2; s > 1; s /= 2) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(ris, cache[0]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100000;
    size_t byte = n * sizeof(float);
    float *u = (float *)malloc(byte), *v = (float *)malloc(byte);
    for (int i = 0; i < n; i++) {
        u[i] = (float)(i % 5);
        v[i] = (float)(i % 3);
    }

    float *du, *dv, *dris, ris;
    cudaMalloc((void **)&du, byte);
    cudaMalloc((void **)&dv, byte);
    cudaMalloc((void **)&dris, sizeof(float));
    cudaMemcpy(du, u, byte, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v, byte, cudaMemcpyHostToDevice);
    cudaMemset(dris, 0, sizeof(float));

    int thread = 256;                       // potenza di due
    int blocchi = (n + thread - 1) / thread;
    if (blocchi > 120) blocchi = 120;
    prodottoScalare<<<blocchi, thread, thread * sizeof(float)>>>(du, dv, dris, n);

    cudaMemcpy(&ris, dris, sizeof(float), cudaMemcpyDeviceToHost);
    printf("u . v = %f\n", ris);
    cudaFree(du); cudaFree(dv); cudaFree(dris);
    free(u); free(v);
    return 0;
}
