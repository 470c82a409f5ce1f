// Uebung 4, Aufgabe 1: Matrixprodukt mit gemeinsamem Speicher
// C (m x n) = A (m x k) * B (k x n), zeilenweise gespeichert, m, n, k beliebig
#include <cuda_runtime.h>

namespace {

constexpr int KACHEL = 16;

template <typename T>
__device__ T hole(const T* M, int zeilen, int spalten, int z, int s)
{
    return (z < zeilen && s < spalten) ? M[(size_t)z * spalten + s] : T(0);
}

template <typename T>
__global__ void matrixprodukt(const T* A, const T* B, T* C, int m, int n, int k)
{
    __shared__ T kachelA[KACHEL][KACHEL + 1];
    __shared__ T kachelB[KACHEL][KACHEL + 1];

    const int zeile = blockIdx.y * KACHEL + threadIdx.y;
    const int spalte = blockIdx.x * KACHEL + threadIdx.x;
    const int kacheln = k / KACHEL;

    T summe = T(0);
    for (int nr = 0; nr < kacheln; ++nr) {
        kachelA[threadIdx.y][threadIdx.x] = hole(A, m, k, zeile, nr * KACHEL + (int)threadIdx.x);
        kachelB[threadIdx.y][threadIdx.x] = hole(B, k, n, nr * KACHEL + (int)threadIdx.y, spalte);
        __syncthreads();

#pragma unroll
        for (int i = 0; i < KACHEL; ++i)
            summe += kachelA[threadIdx.y][i] * kachelB[i][threadIdx.x];
        __syncthreads();
    }

    if (zeile < m && spalte < n)
        C[(size_t)zeile * n + spalte] = summe;
}

template <typename T>
cudaError_t starte(const T* A, const T* B, T* C, int m, int n, int k, cudaStream_t strom)
{
    if (m <= 0 || n <= 0 || k <= 0)
        return cudaErrorInvalidValue;
    dim3 block(KACHEL, KACHEL);
    dim3 gitter((n + KACHEL - 1) / KACHEL, (m + KACHEL - 1) / KACHEL);
    matrixprodukt<T><<<gitter, block, 0, strom>>>(A, B, C, m, n, k);
    return cudaGetLastError();
}

} // namespace

// Alle Zeiger zeigen auf Speicher der Grafikkarte.
cudaError_t matrixproduktFloat(const float* A, const float* B, float* C,
                               int m, int n, int k, cudaStream_t strom)
{
    return starte(A, B, C, m, n, k, strom);
}

cudaError_t matrixproduktDouble(const double* A, const double* B, double* C,
                                int m, int n, int k, cudaStream_t strom)
{
    return starte(A, B, C, m, n, k, strom);
}
