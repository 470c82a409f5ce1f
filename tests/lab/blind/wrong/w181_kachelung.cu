#include <cstdio>
#include <cuda_runtime.h>

#define KANTE 16

// Uebung 3: gekachelte Multiplikation, C (m x n) = A (m x p) * B (p x n)
__global__ void gekachelt(float *C, const float *A, const float *B, int m, int n, int p)
{
    __shared__ float kachelA[KANTE][KANTE];
    __shared__ float kachelB[KANTE][KANTE];
    int zeile = blockIdx.y * KANTE + threadIdx.y;
    int spalte = blockIdx.x * KANTE + threadIdx.x;
    float summe = 0.0f;

    for (int q = 0; q < p; q += KANTE) {
        int ka = q + threadIdx.x;
        int kb = q + threadIdx.y;
        kachelA[threadIdx.y][threadIdx.x] = (zeile < m && ka < p) ? A[zeile * p + ka] : 0.0f;
        kachelB[threadIdx.y][threadIdx.x] = (kb < p && spalte < n) ? B[kb * n + spalte] : 0.0f;
        __syncthreads();

        for (int k = 0; k < KANTE; k++)
            summe += kachelA[threadIdx.y][k] * kachelB[k][threadIdx.x];
    }

    if (zeile < m && spalte < n)
        C[zeile * n + spalte] = summe;
}

int main()
{
    const int m = 70, n = 90, p = 110;
    float *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(float));
    cudaMallocManaged(&B, p * n * sizeof(float));
    cudaMallocManaged(&C, m * n * sizeof(float));
    for (int i = 0; i < m * p; i++) A[i] = i % 3;
    for (int i = 0; i < p * n; i++) B[i] = i % 5;
    dim3 block(KANTE, KANTE);
    dim3 gitter((n + KANTE - 1) / KANTE, (m + KANTE - 1) / KANTE);
    gekachelt<<<gitter, block>>>(C, A, B, m, n, p);
    cudaDeviceSynchronize();
    printf("%f\n", C[m * n - 1]);
    return 0;
}
