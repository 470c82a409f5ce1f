#include <cuda_runtime.h>

/*
 * Producto escalar de dos vectores de enteros.
 *
 * - |a[i]|, |b[i]| <= 30000, así la suma siempre cabe en 64 bits
 * - *res tiene que valer 0 antes de lanzar el kernel (cudaMemset)
 * - blockDim.x: múltiplo de 32; cualquier número de bloques
 *
 * atomicAdd no existe para "long long" con signo, pero en complemento a dos
 * sumar como unsigned da los mismos bits.
 */
typedef unsigned long long u64;

__device__ __forceinline__ long long suma_warp(long long v)
{
    v += __shfl_down_sync(0xffffffff, v, 16);
    v += __shfl_down_sync(0xffffffff, v, 8);
    v += __shfl_down_sync(0xffffffff, v, 4);
    v += __shfl_down_sync(0xffffffff, v, 2);
    v += __shfl_down_sync(0xffffffff, v, 1);
    return v;
}

__global__ void producto_escalar(const int *a, const int *b, u64 *res, int n)
{
    __shared__ u64 acumulado;
    if (threadIdx.x == 0)
        acumulado = 0;
    __syncthreads();

    long long mio = 0;
    long long paso = (long long)blockDim.x * gridDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += paso)
        mio += (long long)a[i] * b[i];

    mio = suma_warp(mio);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(&acumulado, (u64)mio);      // un atómico por warp, en memoria compartida
    __syncthreads();

    if (threadIdx.x == 0)
        atomicAdd(res, acumulado);            // uno por bloque, en memoria global
}
