// Cvičení 2: násobení matic po dlaždicích 16 x 16
// Matice mohou mít libovolné rozměry, krok je vzdálenost řádků v prvcích.
#include <cuda_runtime.h>

#define DLAZDICE 16

struct Matice {
    int radky, sloupce, krok;
    float *data;
};

__device__ float prvek(const Matice &m, int r, int s)
{
    if (r < m.radky && s < m.sloupce)
        return m.data[(size_t)r * m.krok + s];
    return 0.0f;
}

__global__ void vynasob(Matice A, Matice B, Matice C)
{
    __shared__ float dA[DLAZDICE][DLAZDICE];
    __shared__ float dB[DLAZDICE][DLAZDICE];

    int r = blockIdx.y * DLAZDICE + threadIdx.y;
    int s = blockIdx.x * DLAZDICE + threadIdx.x;
    int kroku = (A.sloupce + DLAZDICE - 1) / DLAZDICE;
    float soucet = 0.0f;

    for (int t = 0; t < kroku; t++) {
        dA[threadIdx.y][threadIdx.x] = prvek(A, r, t * DLAZDICE + threadIdx.x);
        dB[threadIdx.y][threadIdx.x] = prvek(B, t * DLAZDICE + threadIdx.y, s);
        __syncthreads();

        for (int k = 0; k < DLAZDICE; k++)
            soucet += dA[threadIdx.y][k] * dB[k][threadIdx.x];
    }

    if (r < C.radky && s < C.sloupce)
        C.data[(size_t)r * C.krok + s] = soucet;
}

// všechny ukazatele data jsou na GPU
cudaError_t spust(Matice A, Matice B, Matice C)
{
    if (A.sloupce != B.radky || A.radky != C.radky || B.sloupce != C.sloupce)
        return cudaErrorInvalidValue;
    dim3 vlakna(DLAZDICE, DLAZDICE);
    dim3 bloky((C.sloupce + DLAZDICE - 1) / DLAZDICE, (C.radky + DLAZDICE - 1) / DLAZDICE);
    vynasob<<<bloky, vlakna>>>(A, B, C);
    return cudaGetLastError();
}
