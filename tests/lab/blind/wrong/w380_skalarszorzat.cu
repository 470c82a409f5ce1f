// Ket vektor skalarszorzata: minden szal reszosszeget gyujt, a warpon belul
// shuffle utasitasokkal, a blokkban megosztott memorian at osszegzunk.
// 1 <= n <= 2^30.
#include <cuda_runtime.h>

constexpr int SZALAK = 512;
constexpr int WARP = 32;
constexpr int WARPOK = SZALAK / WARP;

__device__ float warpOsszeg(float ertek)
{
    for (int lepes = WARP / 2; lepes > 0; lepes /= 2)
        ertek += __shfl_down_sync(0xffffffffu, ertek, lepes);
    return ertek;
}

__global__ void skalarszorzat(const float* x, const float* y, int n, float* eredmeny)
{
    __shared__ float reszek[WARPOK];

    float osszeg = 0.0f;
    for (int i = blockIdx.x * SZALAK + threadIdx.x; i < n; i += gridDim.x * SZALAK)
        osszeg += x[i] * y[i];

    osszeg = warpOsszeg(osszeg);
    if (threadIdx.x % WARP == 0)
        reszek[threadIdx.x / WARP] = osszeg;
    __syncthreads();

    if (threadIdx.x < WARPOK) {
        float v = reszek[threadIdx.x];
        for (int lepes = WARPOK / 4; lepes > 0; lepes /= 2)
            v += __shfl_down_sync((1u << WARPOK) - 1u, v, lepes);
        if (threadIdx.x == 0)
            atomicAdd(eredmeny, v);
    }
}

// x es y az eszkoz memoriajaban van; az eredmenyt a gazdagep kapja meg.
cudaError_t szamolSkalarszorzat(const float* x, const float* y, int n, float* eredmeny)
{
    float* d_eredmeny = nullptr;
    cudaError_t hiba = cudaMalloc(&d_eredmeny, sizeof(float));
    if (hiba != cudaSuccess)
        return hiba;

    hiba = cudaMemset(d_eredmeny, 0, sizeof(float));
    if (hiba == cudaSuccess) {
        int blokkok = (n + SZALAK - 1) / SZALAK;
        if (blokkok > 256)
            blokkok = 256;
        skalarszorzat<<<blokkok, SZALAK>>>(x, y, n, d_eredmeny);
        hiba = cudaGetLastError();
    }
    if (hiba == cudaSuccess)
        hiba = cudaMemcpy(eredmeny, d_eredmeny, sizeof(float), cudaMemcpyDeviceToHost);

    cudaFree(d_eredmeny);
    return hiba;
}
