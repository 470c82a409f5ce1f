#include <cstdio>
#include <cuda_runtime.h>

#define RAGGIO 3
#define DIM_BLOCCO 128

// uscita[i] = somma di ingresso[i-RAGGIO .. i+RAGGIO], zero fuori dal vettore
__global__ void stencil(const float *ingresso, float *uscita, int n)
{
    __shared__ float tratto[DIM_BLOCCO + 2 * RAGGIO];
    int g = blockIdx.x * DIM_BLOCCO + threadIdx.x;
    int l = threadIdx.x + RAGGIO;

    tratto[l] = g < n ? ingresso[g] : 0.0f;
    if (threadIdx.x < RAGGIO) {
        int sinistra = g - RAGGIO;
        int destra = g + DIM_BLOCCO;
        tratto[l - RAGGIO] = (sinistra >= 0 && sinistra < n) ? ingresso[sinistra] : 0.0f;
        tratto[l + DIM_BLOCCO] = destra < n ? ingresso[destra] : 0.0f;
    }
    __syncthreads();

    if (g < n) {
        float somma = 0.0f;
        for (int d = -RAGGIO; d <= RAGGIO; d++)
            somma += tratto[l + d];
        uscita[g] = somma;
    }
}

int main()
{
    int n = 1000;
    float *a, *b;
    cudaMallocManaged(&a, n * sizeof(float));
    cudaMallocManaged(&b, n * sizeof(float));
    for (int i = 0; i < n; i++) a[i] = 1.0f;
    stencil<<<(n + DIM_BLOCCO - 1) / DIM_BLOCCO, DIM_BLOCCO>>>(a, b, n);
    cudaDeviceSynchronize();
    printf("%f %f %f\n", b[0], b[1], b[n / 2]);
    return 0;
}
