// Tarea 1: producto punto de dos vectores con operaciones atomicas
// Cada hilo acumula en un registro, cada bloque en memoria compartida y
// al final un hilo por bloque suma en memoria global.
#include <cuda_runtime.h>
#include <cstddef>

#define HILOS 512

__global__ void productoPunto(const float *x, const float *y, size_t n, float *total)
{
    __shared__ float sumaBloque;

    size_t inicio = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t salto = (size_t)blockDim.x * gridDim.x;

    float mia = 0.0f;
    for (size_t i = inicio; i < n; i += salto)
        mia += x[i] * y[i];

    if (threadIdx.x == 0)
        sumaBloque = 0.0f;
    atomicAdd(&sumaBloque, mia);
    __syncthreads();

    if (threadIdx.x == 0)
        atomicAdd(total, sumaBloque);
}

// Devuelve el producto punto en *resultado (memoria del host).
// x, y: punteros de la GPU con n elementos.
cudaError_t calcularProductoPunto(const float *x, const float *y, size_t n, float *resultado)
{
    *resultado = 0.0f;
    if (n == 0)
        return cudaSuccess;

    float *total = nullptr;
    cudaError_t err = cudaMalloc(&total, sizeof(float));
    if (err != cudaSuccess)
        return err;

    err = cudaMemset(total, 0, sizeof(float));
    if (err == cudaSuccess) {
        size_t bloques = (n + HILOS - 1) / HILOS;
        if (bloques > 256)
            bloques = 256;
        productoPunto<<<(unsigned)bloques, HILOS>>>(x, y, n, total);
        err = cudaGetLastError();
    }
    if (err == cudaSuccess)
        err = cudaMemcpy(resultado, total, sizeof(float), cudaMemcpyDeviceToHost);

    cudaFree(total);
    return err;
}
