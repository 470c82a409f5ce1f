#include <cstdio>
#include <cuda_runtime.h>

#define TAM 16

// Producto reducido: C (m/2 x n/2), m y n pares
__global__ void productoReducido(int m, int n, int p, float *C, const float *A, const float *B)
{
    __shared__ float sa[TAM][TAM];
    __shared__ float sb[TAM][TAM];
    int i = blockIdx.y * TAM + threadIdx.y;
    int j = blockIdx.x * TAM + threadIdx.x;
    int filas = m / 2, columnas = n / 2;
    float acc = 0.0f;

    for (int t = 0; t < (p + TAM - 1) / TAM; t++) {
        int ka = t * TAM + threadIdx.x;
        int kb = t * TAM + threadIdx.y;
        if (i < filas && ka < p)
            sa[threadIdx.y][threadIdx.x] = A[i * p + ka] + A[(i + filas) * p + ka];
        else
            sa[threadIdx.y][threadIdx.x] = 0.0f;
        if (j < columnas && kb < p)
            sb[threadIdx.y][threadIdx.x] = B[kb * n + 2 * j] + B[kb * n + 2 * j + 1];
        else
            sb[threadIdx.y][threadIdx.x] = 0.0f;
        __syncthreads();
        for (int k = 0; k < TAM; k++)
            acc += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    if (i < filas && j < columnas)
        C[i * columnas + j] = acc;
}

int main()
{
    int m = 36, n = 44, p = 50;
    float *A, *B, *C;
    cudaMallocManaged(&A, m * p * sizeof(float));
    cudaMallocManaged(&B, p * n * sizeof(float));
    cudaMallocManaged(&C, (m / 2) * (n / 2) * sizeof(float));
    for (int i = 0; i < m * p; i++) A[i] = i % 10;
    for (int i = 0; i < p * n; i++) B[i] = i % 3;
    dim3 malla((n / 2 + TAM - 1) / TAM, (m / 2 + TAM - 1) / TAM);
    productoReducido<<<malla, dim3(TAM, TAM)>>>(m, n, p, C, A, B);
    cudaDeviceSynchronize();
    printf("%f\n", C[0]);
    return 0;
}
