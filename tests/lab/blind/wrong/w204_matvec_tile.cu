#include <cstdio>
#include <cuda_runtime.h>

#define NT 128

// y = A * x, ein Thread pro Zeile, x stueckweise im Shared Memory
__global__ void matVek(const float *A, const float *x, float *y, int zeilen, int spalten)
{
    __shared__ float stueck[NT];
    int z = blockIdx.x * NT + threadIdx.x;
    float summe = 0.0f;

    for (int s0 = 0; s0 < spalten; s0 += NT) {
        if (s0 + threadIdx.x < spalten)
            stueck[threadIdx.x] = x[s0 + threadIdx.x];
        __syncthreads();
        if (z < zeilen) {
            int ende = min(NT, spalten - s0);
            for (int j = 0; j < ende; j++)
                summe += A[z * spalten + s0 + j] * stueck[j];
        }
    }
    if (z < zeilen)
        y[z] = summe;
}

int main()
{
    int zeilen = 300, spalten = 500;
    float *A, *x, *y;
    cudaMallocManaged(&A, zeilen * spalten * sizeof(float));
    cudaMallocManaged(&x, spalten * sizeof(float));
    cudaMallocManaged(&y, zeilen * sizeof(float));
    for (int i = 0; i < zeilen * spalten; i++) A[i] = 1.0f;
    for (int i = 0; i < spalten; i++) x[i] = i;
    matVek<<<(zeilen + NT - 1) / NT, NT>>>(A, x, y, zeilen, spalten);
    cudaDeviceSynchronize();
    printf("%f\n", y[0]);
    return 0;
}
