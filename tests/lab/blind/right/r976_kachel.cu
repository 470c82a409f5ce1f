// Matrixprodukt C = A * B in double, alles zeilenweise gespeichert.
// A: m x k, B: k x n, C: m x n -- beliebige Groessen > 0.
#include <cuda_runtime.h>

#define KANTE 16

__global__ void produkt(const double *A, const double *B, double *C,
                        int m, int k, int n)
{
    __shared__ double kA[KANTE][KANTE + 1];
    __shared__ double kBt[KANTE][KANTE + 1];   // Kachel von B, gekippt abgelegt

    const int sp = threadIdx.x;
    const int ze = threadIdx.y;
    const int zeile  = blockIdx.y * KANTE + ze;
    const int spalte = blockIdx.x * KANTE + sp;

    double summe = 0.0;
    for (int p0 = 0; p0 < k; p0 += KANTE) {
        kA[ze][sp]  = (zeile < m && p0 + sp < k) ? A[zeile * k + p0 + sp] : 0.0;
        kBt[sp][ze] = (p0 + ze < k && spalte < n) ? B[(p0 + ze) * n + spalte] : 0.0;
        __syncthreads();

        for (int p = 0; p < KANTE; ++p)
            summe += kA[ze][p] * kBt[sp][p];
        __syncthreads();
    }

    if (zeile < m && spalte < n)
        C[zeile * n + spalte] = summe;
}

// Zeiger liegen schon auf der Karte
void starte(const double *dA, const double *dB, double *dC, int m, int k, int n)
{
    dim3 faeden(KANTE, KANTE);
    dim3 gitter((n - 1) / KANTE + 1, (m - 1) / KANTE + 1);
    produkt<<<gitter, faeden>>>(dA, dB, dC, m, k, n);
    cudaDeviceSynchronize();
}
