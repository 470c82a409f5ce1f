// Blatt 2, Aufgabe 3: y = A * x
//
// Jeder Thread rechnet eine Zeile. Der Vektor x wird stueckweise in den
// gemeinsamen Speicher geladen, damit nicht jeder Thread ihn selbst liest.
// A: zeilen x spalten, zeilenweise. Beide Groessen beliebig.
//
// Aufruf: matVec<<<(zeilen + 127) / 128, 128>>>(A, x, y, zeilen, spalten);
#include <cuda_runtime.h>

static const int BLOCK = 128;

__global__ void matVec(const float* A, const float* x, float* y,
                       int zeilen, int spalten)
{
    __shared__ float stueck[BLOCK];

    int zeile = blockIdx.x * BLOCK + threadIdx.x;
    if (zeile >= zeilen) return;          // ueberzaehlige Threads

    float summe = 0.0f;
    for (int s0 = 0; s0 < spalten; s0 += BLOCK)
    {
        // jeder Thread laedt ein Element von x
        int s = s0 + threadIdx.x;
        stueck[threadIdx.x] = (s < spalten) ? x[s] : 0.0f;
        __syncthreads();

        int anzahl = min(BLOCK, spalten - s0);
        const float* a = A + (size_t)zeile * spalten + s0;
        for (int i = 0; i < anzahl; ++i)
            summe += a[i] * stueck[i];
        __syncthreads();
    }

    y[zeile] = summe;
}
