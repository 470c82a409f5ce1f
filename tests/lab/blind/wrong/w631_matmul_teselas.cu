// Multiplicación de matrices cuadradas por teselas; n múltiplo de 32.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TESELA 32

__global__ void multiplicar(const float *A, const float *B, float *C, int n)
{
    __shared__ float a[TESELA][TESELA];
    __shared__ float b[TESELA][TESELA];

    int fila = blockIdx.y * TESELA + threadIdx.y;
    int col  = blockIdx.x * TESELA + threadIdx.x;
    float acum = 0.0f;

    for (int t = 0; t < n / TESELA; t++) {
        a[threadIdx.y][threadIdx.x] = A[fila * n + t * TESELA + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = B[(t * TESELA + threadIdx.y) * n + col];
        __syncthreads();

        for (int p = 0; p < TESELA; p++)
            acum += a[threadIdx.y][p] * b[p][threadIdx.x];
    }

    C[fila * n + col] = acum;
}

int main()
{
    const int n = 512;
    const size_t bytes = (size_t)n * n * sizeof(float);
    float *hA = (float *)malloc(bytes);
    float *hB = (float *)malloc(bytes);
    float *hC = (float *)malloc(bytes);
    for (int i = 0; i < n * n; i++) {
        hA[i] = (float)(i % 4);
        hB[i] = (float)(i % 6) - 2.0f;
    }

    float *dA, *dB, *dC;
    cudaMalloc(&dA, bytes);
    cudaMalloc(&dB, bytes);
    cudaMalloc(&dC, bytes);
    cudaMemcpy(dA, hA, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, bytes, cudaMemcpyHostToDevice);

    dim3 hilos(TESELA, TESELA);
    dim3 bloques(n / TESELA, n / TESELA);
    multiplicar<<<bloques, hilos>>>(dA, dB, dC, n);
    cudaMemcpy(hC, dC, bytes, cudaMemcpyDeviceToHost);

    float dif = 0.0f;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0.0f;
            for (int p = 0; p < n; p++)
                s += hA[i * n + p] * hB[p * n + j];
            dif = fmaxf(dif, fabsf(s - hC[i * n + j]));
        }
    printf("diferencia máxima: %f\n", dif);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
