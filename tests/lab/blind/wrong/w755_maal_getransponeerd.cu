// Opdracht 6: C = A * B^T met leidende dimensies (deelmatrices van grotere matrices)
//   A: m x k, afstand tussen rijen lda  (lda >= k)
//   B: n x k, afstand tussen rijen ldb  (ldb >= k)
//   C: m x n, afstand tussen rijen ldc  (ldc >= n)
#include <cuda_runtime.h>
#include <cstdio>
#include <cassert>

template <int T>
__global__ void maalGetransponeerd(int m, int n, int k,
                                   const float* __restrict__ A, int lda,
                                   const float* __restrict__ B, int ldb,
                                   float* __restrict__ C, int ldc)
{
    __shared__ float tegelA[T][T + 1];
    __shared__ float tegelB[T][T + 1];

    const int kolom = threadIdx.x;
    const int rij = threadIdx.y;
    const int rijA = blockIdx.y * T + rij;
    const int rijB = blockIdx.x * T + rij;    // rij van B die we inladen

    float totaal = 0.f;

    for (int begin = 0; begin < k; begin += T) {
        const int p = begin + kolom;

        tegelA[rij][kolom] = 0.f;
        tegelB[rij][kolom] = 0.f;
        if (p < k) {
            if (rijA < m)
                tegelA[rij][kolom] = A[(size_t)rijA * lda + p];
            if (rijB < n)
                tegelB[rij][kolom] = B[(size_t)rijB * k + p];
        }
        __syncthreads();

        for (int q = 0; q < T; ++q)
            totaal += tegelA[rij][q] * tegelB[kolom][q];
        __syncthreads();
    }

    const int kolC = blockIdx.x * T + kolom;
    if (rijA < m && kolC < n)
        C[(size_t)rijA * ldc + kolC] = totaal;
}

// Start de kernel; alle wijzers wijzen naar geheugen van de GPU.
bool startMaal(int m, int n, int k, const float* A, int lda,
               const float* B, int ldb, float* C, int ldc)
{
    assert(lda >= k && ldb >= k && ldc >= n);

    constexpr int T = 32;
    dim3 draden(T, T);
    dim3 blokken((n + T - 1) / T, (m + T - 1) / T);
    maalGetransponeerd<T><<<blokken, draden>>>(m, n, k, A, lda, B, ldb, C, ldc);

    const cudaError_t fout = cudaDeviceSynchronize();
    if (fout != cudaSuccess) {
        std::fprintf(stderr, "kernel mislukt: %s\n", cudaGetErrorString(fout));
        return false;
    }
    return true;
}
