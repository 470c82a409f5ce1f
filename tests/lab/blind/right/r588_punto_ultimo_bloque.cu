// Práctica 5: producto escalar en un solo kernel.
// El último bloque en terminar suma los resultados parciales.
#include <cuda_runtime.h>
#include <algorithm>
#include <stdexcept>

static const int HILOS = 128;
static const int MAX_BLOQUES = 512;

__device__ unsigned int contador = 0;   // bloques que ya terminaron

// Suma en árbol de HILOS valores; el resultado queda en buf[0].
__device__ void sumaArbol(float *buf, int t)
{
    for (int d = HILOS / 2; d > 0; d >>= 1) {
        if (t < d) buf[t] += buf[t + d];
        __syncthreads();
    }
}

__global__ void productoEscalar(const float *x, const float *y, size_t n,
                                volatile float *parciales, float *salida)
{
    __shared__ float buf[HILOS];
    __shared__ bool soyUltimo;
    const int t = threadIdx.x;

    float s = 0.0f;
    const size_t paso = (size_t)gridDim.x * HILOS;
    for (size_t i = (size_t)blockIdx.x * HILOS + t; i < n; i += paso)
        s += x[i] * y[i];

    buf[t] = s;
    __syncthreads();
    sumaArbol(buf, t);

    if (t == 0) {
        parciales[blockIdx.x] = buf[0];
        __threadfence();                 // que todos vean el parcial antes de contar
        // atomicInc vuelve a cero solo, así el kernel se puede lanzar otra vez
        unsigned int orden = atomicInc(&contador, gridDim.x - 1);
        soyUltimo = (orden == gridDim.x - 1);
    }
    __syncthreads();

    if (soyUltimo) {                     // igual para todo el bloque
        __threadfence();
        float r = 0.0f;
        for (unsigned int i = t; i < gridDim.x; i += HILOS)
            r += parciales[i];
        buf[t] = r;
        __syncthreads();
        sumaArbol(buf, t);
        if (t == 0) *salida = buf[0];
    }
}

static void comprobar(cudaError_t e)
{
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

// x e y son vectores del host con n elementos.
float escalar(const float *x, const float *y, size_t n)
{
    if (n == 0) return 0.0f;

    const int bloques = (int)std::min<size_t>((n + HILOS - 1) / HILOS, MAX_BLOQUES);
    float *dx, *dy, *dp, *dr;
    comprobar(cudaMalloc(&dx, n * sizeof(float)));
    comprobar(cudaMalloc(&dy, n * sizeof(float)));
    comprobar(cudaMalloc(&dp, bloques * sizeof(float)));
    comprobar(cudaMalloc(&dr, sizeof(float)));
    comprobar(cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice));
    comprobar(cudaMemcpy(dy, y, n * sizeof(float), cudaMemcpyHostToDevice));

    productoEscalar<<<bloques, HILOS>>>(dx, dy, n, dp, dr);
    comprobar(cudaGetLastError());

    float r = 0.0f;
    comprobar(cudaMemcpy(&r, dr, sizeof(float), cudaMemcpyDeviceToHost));
    cudaFree(dx); cudaFree(dy); cudaFree(dp); cudaFree(dr);
    return r;
}
