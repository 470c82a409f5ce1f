#include <cuda_runtime.h>

// Mnożenie macierzy: C (w x k) = A (w x s) * B (s x k), zapis wierszami.
// Wymiary mogą być dowolne. Kafelek C ma 8 wierszy i 32 kolumny.
const int KOL = 32;
const int WIE = 8;

__global__ void mnozenie(const float *A, const float *B, float *C, int w, int s, int k)
{
    __shared__ float ka[WIE][KOL];
    __shared__ float kb[KOL][KOL];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int wiersz = blockIdx.y * WIE + ty;
    int kolumna = blockIdx.x * KOL + tx;

    if (wiersz >= w || kolumna >= k)
        return;

    float suma = 0.0f;
    for (int p = 0; p < s; p += KOL) {
        ka[ty][tx] = (p + tx < s) ? A[(size_t)wiersz * s + p + tx] : 0.0f;
        for (int r = ty; r < KOL; r += WIE)
            kb[r][tx] = (p + r < s) ? B[(size_t)(p + r) * k + kolumna] : 0.0f;
        __syncthreads();

        for (int q = 0; q < KOL; q++)
            suma += ka[ty][q] * kb[q][tx];
        __syncthreads();
    }

    C[(size_t)wiersz * k + kolumna] = suma;
}

void pomnoz(const float *dA, const float *dB, float *dC, int w, int s, int k)
{
    dim3 watki(KOL, WIE);
    dim3 bloki((k + KOL - 1) / KOL, (w + WIE - 1) / WIE);
    mnozenie<<<bloki, watki>>>(dA, dB, dC, w, s, k);
    cudaDeviceSynchronize();
}
