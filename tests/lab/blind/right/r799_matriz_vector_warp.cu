// y = A x, con A de m x n por filas. Un warp por fila, lecturas float4.
// n tiene que ser múltiplo de 4 (se comprueba abajo) y los tres punteros
// son de cudaMalloc.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace {

constexpr int kWarp = 32;
constexpr int kWarpsPorBloque = 4;

__device__ __forceinline__ float producto4(const float4 p, const float4 q)
{
    return p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
}

__global__ void __launch_bounds__(kWarp * kWarpsPorBloque)
matVec(const float4* __restrict__ A, const float4* __restrict__ x,
       float* __restrict__ y, int m, int n4)
{
    const int carril = threadIdx.x % kWarp;
    const int fila = blockIdx.x * kWarpsPorBloque + threadIdx.x / kWarp;
    if (fila >= m) return;               // sale el warp entero

    const float4* a = A + static_cast<size_t>(fila) * n4;
    float s = 0.f;
    for (int c = carril; c < n4; c += kWarp)
        s += producto4(a[c], x[c]);

#pragma unroll
    for (int d = kWarp / 2; d > 0; d /= 2)
        s += __shfl_down_sync(0xffffffffu, s, d);

    if (carril == 0) y[fila] = s;
}

}  // namespace

// Punteros de dispositivo. m y n positivos, hasta cien millones.
void multiplicaMatrizVector(const float* dA, const float* dx, float* dy,
                            int m, int n, cudaStream_t flujo = 0)
{
    assert(m > 0 && n > 0);
    assert(n % 4 == 0);

    const int bloques = (m + kWarpsPorBloque - 1) / kWarpsPorBloque;
    matVec<<<bloques, kWarp * kWarpsPorBloque, 0, flujo>>>(
        reinterpret_cast<const float4*>(dA),
        reinterpret_cast<const float4*>(dx), dy, m, n / 4);

    if (const cudaError_t e = cudaGetLastError(); e != cudaSuccess) {
        std::fprintf(stderr, "matVec: %s\n", cudaGetErrorString(e));
        std::exit(1);
    }
}
