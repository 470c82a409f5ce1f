#include <cuda_runtime.h>

// producto punto de dos vectores de double con shuffles
__device__ int sumaWarp(int valor)
{
    #pragma unroll
    for (int paso = 16; paso > 0; paso >>= 1)
        valor += __shfl_down_sync(0xffffffffu, valor, paso);
    return valor;
}

__global__ void punto(const double *u, const double *v, double *resultado, int n)
{
    double acumulado = 0.0;
    const int salto = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += salto)
        acumulado += u[i] * v[i];

    acumulado = sumaWarp(acumulado);

    // el primer hilo de cada warp agrega su parte
    if ((threadIdx.x & 31) == 0)
        atomicAdd(resultado, acumulado);
}

void productoPunto(const double *u, const double *v, double *resultado, int n)
{
    const int hilos = 128;
    int bloques = (n + hilos - 1) / hilos;
    if (bloques > 40) bloques = 40;
    cudaMemset(resultado, 0, sizeof(double));
    punto<<<bloques, hilos>>>(u, v, resultado, n);
}
