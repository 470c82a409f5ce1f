/* Producto reducido:
 *   C[i][j] = sum_l (A[2i][l] + A[2i+1][l]) * (B[l][2j] + B[l][2j+1])
 * A es de M x K, B es de K x N (M y N pares), C es de M/2 x N/2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOQUE 8

__global__ void productoReducido(const float* __restrict__ A, const float* __restrict__ B,
                                 float* __restrict__ C, int M, int N, int K)
{
    __shared__ float sumaA[BLOQUE][BLOQUE + 1];
    __shared__ float sumaB[BLOQUE][BLOQUE + 1];

    const int mitadM = M / 2, mitadN = N / 2;
    const int i = blockIdx.y * BLOQUE + threadIdx.y;
    const int j = blockIdx.x * BLOQUE + threadIdx.x;
    float acumulado = 0.f;

    for (int base = 0; base < K; base += BLOQUE) {
        float a = 0.f, b = 0.f;
        int l = base + threadIdx.x;
        if (i < mitadM && l < K)
            a = A[(2 * i) * K + l] + A[(2 * i + 1) * K + l];
        l = base + threadIdx.y;
        if (j < mitadN && l < K)
            b = B[l * N + 2 * j] + B[l * N + 2 * j + 1];
        sumaA[threadIdx.y][threadIdx.x] = a;
        sumaB[threadIdx.y][threadIdx.x] = b;
        __syncthreads();
        for (int p = 0; p < BLOQUE; p++)
            acumulado += sumaA[threadIdx.y][p] * sumaB[p][threadIdx.x];
        __syncthreads();
    }
    if (i < mitadM && j < mitadN)
        C[i * mitadN + j] = acumulado;
}

int main(void)
{
    int M = 50, N = 38, K = 45;   /* M y N deben ser pares */
    float *A, *B, *C;
    cudaMallocManaged(&A, M * K * sizeof(float));
    cudaMallocManaged(&B, K * N * sizeof(float));
    cudaMallocManaged(&C, (M / 2) * (N / 2) * sizeof(float));
    for (int p = 0; p < M * K; p++) A[p] = (float)(p % 7) - 3.f;
    for (int p = 0; p < K * N; p++) B[p] = (float)(p % 5) - 2.f;

    dim3 hilos(BLOQUE, BLOQUE);
    dim3 bloques((N / 2 + BLOQUE - 1) / BLOQUE, (M / 2 + BLOQUE - 1) / BLOQUE);
    productoReducido<<<bloques, hilos>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();

    float errorMax = 0.f;
    for (int i = 0; i < M / 2; i++)
        for (int j = 0; j < N / 2; j++) {
            float s = 0.f;
            for (int l = 0; l < K; l++)
                s += (A[2 * i * K + l] + A[(2 * i + 1) * K + l]) * (B[l * N + 2 * j] + B[l * N + 2 * j + 1]);
            errorMax = fmaxf(errorMax, fabsf(s - C[i * (N / 2) + j]));
        }
    printf("error maximo: %g\n", errorMax);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
