// y = A^T x, con A de filas x columnas (por filas), x de largo filas, y de largo columnas.
// Un hilo por columna; gridDim.y reparte las filas en franjas y las franjas
// se juntan con atomicAdd. y se pone a cero en cada llamada.
#include <cuda_runtime.h>
#include <cstdio>

#define HILOS 128
#define FRANJA 256    /* filas por bloque */

__global__ void traspuestaVector(const float *A, const float *x, float *y, int filas, int columnas)
{
    __shared__ float xs[FRANJA];

    int primera = blockIdx.y * FRANJA;
    int cuantas = filas - primera;
    if (cuantas > FRANJA) cuantas = FRANJA;

    // toda la franja de x a memoria compartida
    for (int i = threadIdx.x; i < cuantas; i += HILOS)
        xs[i] = x[primera + i];
    __syncthreads();

    int col = blockIdx.x * HILOS + threadIdx.x;
    if (col < columnas) {
        const float *p = A + (size_t)primera * columnas + col;
        float suma = 0.0f;
        for (int i = 0; i < cuantas; i++) {
            suma += *p * xs[i];
            p += columnas;
        }
        atomicAdd(y + col, suma);
    }
}

// punteros de la GPU; filas, columnas >= 1; filas hasta 65535 * FRANJA
int calcularTraspuesta(const float *dA, const float *dx, float *dy, int filas, int columnas)
{
    cudaError_t e = cudaMemset(dy, 0, (size_t)columnas * sizeof(float));
    if (e == cudaSuccess) {
        dim3 malla((columnas + HILOS - 1) / HILOS, (filas + FRANJA - 1) / FRANJA);
        traspuestaVector<<<malla, HILOS>>>(dA, dx, dy, filas, columnas);
        e = cudaGetLastError();
    }
    if (e == cudaSuccess)
        e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        fprintf(stderr, "calcularTraspuesta: %s\n", cudaGetErrorString(e));
        return 0;
    }
    return 1;
}
