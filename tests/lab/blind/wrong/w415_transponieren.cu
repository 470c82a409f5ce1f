// Transponieren einer Matrix (zeilen x spalten) über eine Kachel im Shared Memory.
// Block: 32 x 8 Threads, jeder Thread bearbeitet vier Elemente.
#include <cuda_runtime.h>

namespace {
constexpr int KACHEL = 32;
constexpr int HOEHE  = 8;
}

template <class T>
__global__ void transponiere(T* __restrict__ ziel, const T* __restrict__ quelle,
                             int zeilen, int spalten)
{
    __shared__ T k[KACHEL][KACHEL + 1];

    int x = blockIdx.x * KACHEL + threadIdx.x;
    int y = blockIdx.y * KACHEL + threadIdx.y;

    for (int d = 0; d < KACHEL; d += HOEHE)
        if (x < spalten && y + d < zeilen)
            k[threadIdx.y + d][threadIdx.x] = quelle[(size_t)(y + d) * spalten + x];

    __syncthreads();

    x = blockIdx.y * KACHEL + threadIdx.x;   // Spalte im Ziel
    y = blockIdx.x * KACHEL + threadIdx.y;   // Zeile im Ziel

    for (int d = 0; d < KACHEL; d += HOEHE)
        if (x < zeilen && y < spalten)
            ziel[(size_t)(y + d) * zeilen + x] = k[threadIdx.x][threadIdx.y + d];
}

void transponiereGPU(float* d_ziel, const float* d_quelle, int zeilen, int spalten)
{
    dim3 block(KACHEL, HOEHE);
    dim3 gitter((spalten + KACHEL - 1) / KACHEL, (zeilen + KACHEL - 1) / KACHEL);
    transponiere<float><<<gitter, block>>>(d_ziel, d_quelle, zeilen, spalten);
}
