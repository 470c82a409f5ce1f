// Práctica 5: y = A * x, un warp por cada fila
// A: m filas por n columnas, por filas. Cualquier m, n mayores que cero (hasta dos mil millones).
#include <cuda_runtime.h>

namespace practica5 {

constexpr int TAM_WARP = 32;
constexpr int FILAS_POR_BLOQUE = 4;

__device__ __forceinline__ float sumaWarp(float v)
{
    #pragma unroll
    for (int d = TAM_WARP / 2; d > 0; d >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, d);
    return v;   // valida en el carril 0
}

__global__ void matvec(const float* __restrict__ A, const float* __restrict__ x,
                       float* __restrict__ y, int m, int n)
{
    const int fila = blockIdx.x * FILAS_POR_BLOQUE + threadIdx.y;
    if (fila >= m) return;              // sale el warp entero

    const float* a = A + (size_t)fila * n;
    float acum = 0.0f;
    for (int j = threadIdx.x; j < n; j += TAM_WARP)
        acum += a[j] * x[j];

    acum = sumaWarp(acum);
    if (threadIdx.x == 0)
        y[fila] = acum;
}

// punteros del dispositivo
cudaError_t lanzar(const float* dA, const float* dx, float* dy, int m, int n, cudaStream_t s = 0)
{
    dim3 hilos(TAM_WARP, FILAS_POR_BLOQUE);
    dim3 bloques((m + FILAS_POR_BLOQUE - 1) / FILAS_POR_BLOQUE);
    matvec<<<bloques, hilos, 0, s>>>(dA, dx, dy, m, n);
    return cudaGetLastError();
}

} // namespace practica5
