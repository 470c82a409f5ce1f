// Practica 2 - producto de matrices de enteros con memoria compartida
//
//   C[m][n] = A[m][k] * B[k][n]     (por filas, m, k y n cualesquiera)
//
// Lanzamiento: bloque de (LADO, LADO) hilos,
//              malla de (ceil(n / LADO), ceil(m / LADO)) bloques.
#include <cuda_runtime.h>

#define LADO 8

struct Tam {
    int m, k, n;
};

__global__ void productoEnteros(const int *A, const int *B, int *C, Tam tam)
{
    __shared__ int azulejoA[LADO * LADO];
    __shared__ int azulejoB[LADO * LADO];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int fila = blockIdx.y * LADO + y;
    int colu = blockIdx.x * LADO + x;
    int suma = 0;

    if (fila >= tam.m || colu >= tam.n)
        return;

    int pasos = tam.k / LADO;
    if (tam.k % LADO != 0)
        pasos++;

    for (int paso = 0; paso < pasos; paso++) {
        int ka = paso * LADO + x;   // columna de A que carga este hilo
        int kb = paso * LADO + y;   // fila de B que carga este hilo

        if (ka < tam.k)
            azulejoA[y * LADO + x] = A[fila * tam.k + ka];
        else
            azulejoA[y * LADO + x] = 0;

        if (kb < tam.k)
            azulejoB[y * LADO + x] = B[kb * tam.n + colu];
        else
            azulejoB[y * LADO + x] = 0;

        __syncthreads();

        for (int i = 0; i < LADO; i++) {
            suma += azulejoA[y * LADO + i] * azulejoB[i * LADO + x];
        }

        __syncthreads();
    }

    C[fila * tam.n + colu] = suma;
}
