// Práctica 3 - producto de matrices C = A * B usando memoria compartida
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define LADO 16

__global__ void producto(const float *A, const float *B, float *C,
                         int filas, int interior, int columnas)
{
    __shared__ float sA[LADO][LADO];
    __shared__ float sB[LADO][LADO];

    int tx = threadIdx.x, ty = threadIdx.y;
    int fil = blockIdx.y * LADO + ty;
    int col = blockIdx.x * LADO + tx;
    float suma = 0.0f;

    for (int p = 0; p < interior; p += LADO) {
        // los elementos de fuera de la matriz valen cero
        sA[ty][tx] = (fil < filas && p + tx < interior) ? A[fil * interior + p + tx] : 0.0f;
        sB[ty][tx] = (p + ty < interior && col < columnas) ? B[(p + ty) * columnas + col] : 0.0f;
        __syncthreads();

        for (int k = 0; k < LADO; ++k)
            suma += sA[ty][k] * sB[k][tx];
        __syncthreads();
    }
    if (fil < filas && col < columnas)
        C[fil * columnas + col] = suma;
}

int main()
{
    const int filas = 100, interior = 70, columnas = 45;
    float *A, *B, *C;
    cudaMallocManaged(&A, filas * interior * sizeof(float));
    cudaMallocManaged(&B, interior * columnas * sizeof(float));
    cudaMallocManaged(&C, filas * columnas * sizeof(float));
    for (int i = 0; i < filas * interior; i++) A[i] = (i % 7) - 3.0f;
    for (int i = 0; i < interior * columnas; i++) B[i] = (i % 5) * 0.5f;

    dim3 hilos(LADO, LADO);
    dim3 bloques((columnas + LADO - 1) / LADO, (filas + LADO - 1) / LADO);
    producto<<<bloques, hilos>>>(A, B, C, filas, interior, columnas);
    cudaDeviceSynchronize();

    float peor = 0.0f;
    for (int i = 0; i < filas; i++)
        for (int j = 0; j < columnas; j++) {
            float r = 0.0f;
            for (int k = 0; k < interior; k++) r += A[i * interior + k] * B[k * columnas + j];
            peor = fmaxf(peor, fabsf(r - C[i * columnas + j]));
        }
    printf("error maximo: %g\n", peor);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
