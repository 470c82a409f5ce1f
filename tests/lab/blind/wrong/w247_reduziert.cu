// Reduziertes Matrixprodukt: P = A*B, R fasst je 2x2 Nachbarn von P zusammen.
// m und n gerade, k beliebig.  R hat m/2 Zeilen und n/2 Spalten.
//
// Aufruf:
//   dim3 faeden(16, 16);
//   dim3 bloecke((n / 2 + 15) / 16, (m / 2 + 15) / 16);
//   reduziertesProdukt<<<bloecke, faeden>>>(A, B, R, m, n, k);
#include <cuda_runtime.h>

#define B_GROESSE 16

__global__ void reduziertesProdukt(const float *A, const float *B, float *R,
                                   int m, int n, int k)
{
    __shared__ float zeilenPaare[B_GROESSE][B_GROESSE];
    __shared__ float spaltenPaare[B_GROESSE][B_GROESSE];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int i = blockIdx.y * B_GROESSE + y;    // Zeile in R
    const int j = blockIdx.x * B_GROESSE + x;    // Spalte in R

    float summe = 0.0f;
    for (int anfang = 0; anfang < k; anfang += B_GROESSE) {
        float za = 0.0f, sb = 0.0f;
        if (2 * i + 1 < m && anfang + x < k) {
            const float *p = A + (size_t)(2 * i) * k + anfang + x;
            za = p[0] + p[k];
        }
        if (anfang + y < k && 2 * j + 1 < n) {
            const float *p = B + (size_t)(anfang + y) * n + 2 * j;
            sb = p[0] + p[1];
        }
        zeilenPaare[y][x] = za;
        spaltenPaare[y][x] = sb;
        __syncthreads();

        for (int q = 0; q < B_GROESSE; ++q)
            summe += zeilenPaare[y][q] * spaltenPaare[q][x];
        __syncthreads();
    }

    if (i < m && j < n)
        R[(size_t)i * (n / 2) + j] = summe;
}
