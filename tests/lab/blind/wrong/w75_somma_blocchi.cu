// Somma di un vettore con riduzione ad albero in memoria condivisa
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define THREADS 192

__global__ void sommaParziale(const float *dati, float *parziali, int n)
{
    __shared__ float cache[THREADS];
    int tid = threadIdx.x;
    int i = blockIdx.x * THREADS + tid;

    cache[tid] = (i < n) ? dati[i] : 0.0f;
    __syncthreads();

    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (tid < s)
            cache[tid] += cache[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        parziali[blockIdx.x] = cache[0];
}

int main(void)
{
    int n = 20000;
    int blocchi = (n + THREADS - 1) / THREADS;
    float *h = (float *)malloc(n * sizeof(float));
    float *hp = (float *)malloc(blocchi * sizeof(float));
    for (int i = 0; i < n; i++)
        h[i] = (float)(i % 4 + 1);

    float *d, *dp;
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&dp, blocchi * sizeof(float));
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);

    sommaParziale<<<blocchi, THREADS>>>(d, dp, n);
    cudaMemcpy(hp, dp, blocchi * sizeof(float), cudaMemcpyDeviceToHost);

    double totale = 0.0, atteso = 0.0;
    for (int b = 0; b < blocchi; b++) totale += hp[b];
    for (int i = 0; i < n; i++) atteso += h[i];

    printf("somma = %f, attesa = %f\n", totale, atteso);
    printf("max error: %g\n", fabs(totale - atteso));
    cudaFree(d);
    cudaFree(dp);
    free(h);
    free(hp);
    return 0;
}
