// Skalarprodukt: jeder Warp summiert mit Shuffle-Befehlen und addiert sein
// Ergebnis atomar auf *ergebnis (vom Aufrufer vorher auf 0 gesetzt).
//
// Blockgroesse: Vielfaches von 32.  n beliebig.
#include <cuda_runtime.h>

#define ALLE 0xffffffffu

template <typename T>
struct WarpSumme {
    static __device__ __forceinline__ T berechne(T wert)
    {
#pragma unroll
        for (int abstand = 16; abstand >= 1; abstand >>= 1)
            wert += __shfl_down_sync(ALLE, wert, abstand, 16);
        return wert;    // gueltig in Spur 0
    }
};

template <typename T>
__global__ void skalarprodukt(const T* __restrict__ x, const T* __restrict__ y,
                              size_t n, T* ergebnis)
{
    const size_t start = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t schritt = (size_t)gridDim.x * blockDim.x;
    const unsigned spur = threadIdx.x & 31u;

    T summe = T(0);
    for (size_t i = start; i < n; i += schritt)
        summe += x[i] * y[i];

    summe = WarpSumme<T>::berechne(summe);

    if (spur == 0)
        atomicAdd(ergebnis, summe);
}

// benoetigte Auspraegungen
template __global__ void skalarprodukt<float>(const float* __restrict__,
                                              const float* __restrict__, size_t, float*);
template __global__ void skalarprodukt<double>(const double* __restrict__,
                                               const double* __restrict__, size_t, double*);
