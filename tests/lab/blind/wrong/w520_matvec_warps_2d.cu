// Práctica 4: y = A*x, un warp (una fila del bloque 32x8) por cada fila de A
#include <cuda_runtime.h>
#include <cstdio>

#define FILAS_BLOQUE 8

static __device__ float reducirWarp(float v)
{
    // al final el hilo 0 del warp tiene la suma
    for (int d = 8; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

__global__ void matrizVector(const float *A, const float *x, float *y, int filas, int cols)
{
    int fila = blockIdx.x * FILAS_BLOQUE + threadIdx.y;
    float suma = 0.0f;

    if (fila < filas) {
        for (int c = threadIdx.x; c < cols; c += 32)
            suma += A[(size_t)fila * cols + c] * x[c];
    }

    // todos los hilos participan en el shuffle
    suma = reducirWarp(suma);
    if (threadIdx.x == 0 && fila < filas)
        y[fila] = suma;
}

// x tiene 'cols' elementos e y tiene 'filas' elementos, punteros del host
bool multiplicar(const float *A, const float *x, float *y, int filas, int cols)
{
    if (filas <= 0 || cols <= 0) return false;

    float *dA = nullptr, *dx = nullptr, *dy = nullptr;
    size_t bytesA = (size_t)filas * cols * sizeof(float);
    cudaMalloc(&dA, bytesA);
    cudaMalloc(&dx, cols * sizeof(float));
    cudaMalloc(&dy, filas * sizeof(float));
    cudaMemcpy(dA, A, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, cols * sizeof(float), cudaMemcpyHostToDevice);

    dim3 hilos(32, FILAS_BLOQUE);
    dim3 bloques((filas + FILAS_BLOQUE - 1) / FILAS_BLOQUE);
    matrizVector<<<bloques, hilos>>>(dA, dx, dy, filas, cols);

    cudaMemcpy(y, dy, filas * sizeof(float), cudaMemcpyDeviceToHost);
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        printf("error: %s\n", cudaGetErrorString(e));

    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return e == cudaSuccess;
}
