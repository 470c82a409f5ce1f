// y = A^T * x, A is m x n en staat rij voor rij in het geheugen
// Elke draad neemt een kolom; de rijen worden in stukken verdeeld over
// blockIdx.y en de deelsommen komen met atomicAdd bij elkaar.
// m en n tot 10 miljoen.
#include <cuda_runtime.h>

namespace {

constexpr int KOL  = 128;   // kolommen per blok
constexpr int STUK = 64;    // rijen per stuk

// y moet vooraf nul zijn
__global__ void transVec(const double *A, const double *x, double *y, int m, int n)
{
    int kol = blockIdx.x * KOL + threadIdx.x;
    if (kol >= n) return;

    double som = 0.0;
    for (int r0 = blockIdx.y * STUK; r0 < m; r0 += gridDim.y * STUK) {
        int eind = min(r0 + STUK, m);
        for (int r = r0; r < eind; ++r)
            som += A[(size_t)r * n + kol] * x[r];
    }
    atomicAdd(&y[kol], som);
}

}

cudaError_t matTransVec(const double *dA, const double *dx, double *dy,
                        int m, int n, cudaStream_t stream)
{
    cudaError_t fout = cudaMemsetAsync(dy, 0, n * sizeof(double), stream);
    if (fout != cudaSuccess || m == 0 || n == 0)
        return fout;

    int stukken = (m + STUK - 1) / STUK;
    if (stukken > 512) stukken = 512;
    dim3 rooster((n + KOL - 1) / KOL, stukken);
    transVec<<<rooster, KOL, 0, stream>>>(dA, dx, dy, m, n);
    return cudaGetLastError();
}
