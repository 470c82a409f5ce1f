// Übung 6: Skalarprodukt in einem einzigen Kernel.
// Der letzte fertige Block summiert die Teilsummen aller Blöcke.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstddef>
#include <vector>

__device__ unsigned int g_fertig = 0;

// Summe über den ganzen Block, gültig nur in Thread 0
template <int BS>
__device__ double blockSumme(double v)
{
    static_assert(BS % 32 == 0 && BS <= 1024, "Blockgröße");
    __shared__ double warpSummen[BS / 32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0)
        warpSummen[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = (lane < BS / 32) ? warpSummen[lane] : 0.0;
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffffu, v, d);
    }
    return v;
}

template <int BS>
__global__ void skalarprodukt(const double* x, const double* y, size_t n,
                              volatile double* teil, double* ergebnis)
{
    double s = 0.0;
    for (size_t i = (size_t)blockIdx.x * BS + threadIdx.x; i < n; i += (size_t)BS * gridDim.x)
        s = fma(x[i], y[i], s);
    s = blockSumme<BS>(s);

    __shared__ bool letzter;
    if (threadIdx.x == 0) {
        teil[blockIdx.x] = s;
        __threadfence();   // Teilsumme sichtbar machen, bevor gezählt wird
        letzter = (atomicAdd(&g_fertig, 1u) == gridDim.x - 1);
    }
    __syncthreads();

    if (letzter) {   // für alle Threads des Blocks gleich
        __threadfence();
        double t = 0.0;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += BS)
            t += teil[i];
        t = blockSumme<BS>(t);
        if (threadIdx.x == 0) {
            *ergebnis = t;
            g_fertig = 0;   // für den nächsten Aufruf
        }
    }
}

double skalarproduktGPU(const std::vector<double>& hx, const std::vector<double>& hy)
{
    constexpr int BS = 192;
    const size_t n = std::min(hx.size(), hy.size());
    if (n == 0) return 0.0;
    const int blocks = (int)std::min<size_t>((n + BS - 1) / BS, 480);

    double *dx, *dy, *dTeil, *dErg;
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, n * sizeof(double));
    cudaMalloc(&dTeil, blocks * sizeof(double));
    cudaMalloc(&dErg, sizeof(double));
    cudaMemcpy(dx, hx.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, hy.data(), n * sizeof(double), cudaMemcpyHostToDevice);

    skalarprodukt<BS><<<blocks, BS>>>(dx, dy, n, dTeil, dErg);

    double erg = 0.0;
    cudaMemcpy(&erg, dErg, sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dx); cudaFree(dy); cudaFree(dTeil); cudaFree(dErg);
    return erg;
}
