#include <cuda_runtime.h>

// Zeilenweise: eine Warp-Gruppe rechnet ein Element von y = A x aus.
// blockDim = (32, WARPS)
template <typename T, int WARPS>
__global__ void matVek(const T *A, const T *x, T *y, int zeilen, int spalten)
{
    const int spur = threadIdx.x;
    const int zeile = blockIdx.x * WARPS + threadIdx.y;
    if (zeile >= zeilen) return;         // whole warps only

    const T *a = A + (size_t)zeile * spalten;
    T summe = T(0);
    for (int s = spur; s < spalten; s += 32)
        summe += a[s] * x[s];

    #pragma unroll
    for (int weite = 16; weite > 1; weite /= 2)
        summe += __shfl_down_sync(0xffffffffu, summe, weite);

    if (spur == 0)
        y[zeile] = summe;
}

void rechne(const float *A, const float *x, float *y, int zeilen, int spalten)
{
    const int W = 4;
    dim3 faeden(32, W);
    matVek<float, W><<<(zeilen + W - 1) / W, faeden>>>(A, x, y, zeilen, spalten);
}
