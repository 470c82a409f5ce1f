// Aufgabe 2 - Matrixprodukt, Spaltenspeicherung (wie in Fortran / cuBLAS)
// C (m x n) = A (m x k) * B (k x n), doppelte Genauigkeit
// Fuehrende Dimensionen: ldA >= m, ldB >= k, ldC >= m.  Sonst keine Einschraenkung.
#include <cuda_runtime.h>

__device__ __forceinline__ size_t stelle(int zeile, int spalte, int ld)
{
    return (size_t)spalte * ld + zeile;
}

__global__ void produkt_spaltenweise(int m, int n, int k,
                                     const double *A, int ldA,
                                     const double *B, int ldB,
                                     double *C, int ldC)
{
    // benachbarte Threads -> benachbarte Zeilen, damit A und C zusammenhaengend gelesen werden
    const int zeile  = blockIdx.x * blockDim.x + threadIdx.x;
    const int spalte = blockIdx.y * blockDim.y + threadIdx.y;

    if (zeile < m && spalte < n) {
        double summe = 0.0;
        for (int p = 0; p < k; ++p)
            summe += A[stelle(zeile, p, ldA)] * B[stelle(p, spalte, ldB)];
        C[stelle(zeile, spalte, ldC)] = summe;
    }
}

// Zeiger liegen auf der Grafikkarte
void produkt(int m, int n, int k,
             const double *dA, int ldA,
             const double *dB, int ldB,
             double *dC, int ldC, cudaStream_t strom)
{
    if (m <= 0 || n <= 0)
        return;
    const dim3 faden(64, 4);
    const dim3 gitter((m + faden.x - 1) / faden.x, (n + faden.y - 1) / faden.y);
    produkt_spaltenweise<<<gitter, faden, 0, strom>>>(m, n, k, dA, ldA, dB, ldB, dC, ldC);
}
