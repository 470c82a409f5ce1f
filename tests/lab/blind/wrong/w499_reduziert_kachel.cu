// Reduziertes Matrixprodukt mit Kacheln im gemeinsamen Speicher.
//   C[i][j] = (A[2i] + A[2i+1]) . (B[:,2j] + B[:,2j+1])
// A: zeilen x innen, B: innen x spalten, C: zeilen/2 x spalten/2, zeilenweise.
// zeilen und spalten gerade, 2 bis 1000000; innen >= 1.
// Block: dim3(K, K); Gitter: dim3(ceil(spalten/2 / K), ceil(zeilen/2 / K)).
#include <cuda_runtime.h>

static constexpr int K = 16;

template <typename Zahl>
__global__ void reduziert(const Zahl *A, const Zahl *B, Zahl *C,
                          int zeilen, int innen, int spalten)
{
    __shared__ Zahl links[K][K];
    __shared__ Zahl rechts[K][K];

    const int hz = zeilen / 2;
    const int hs = spalten / 2;
    const int i = blockIdx.y * K + threadIdx.y;
    const int j = blockIdx.x * K + threadIdx.x;

    Zahl summe = 0;
    for (int start = 0; start < innen; start += K) {
        const int ka = start + threadIdx.x;
        const int kb = start + threadIdx.y;

        Zahl l = 0, r = 0;
        if (i < hz && ka < innen)
            l = A[(size_t)(2 * i) * innen + ka] + A[(size_t)(2 * i + 1) * innen + ka];
        if (j < hs && kb < innen)
            r = B[(size_t)kb * spalten + 2 * j] + B[(size_t)kb * spalten + 2 * j + 1];
        links[threadIdx.y][threadIdx.x] = l;
        rechts[threadIdx.y][threadIdx.x] = r;
        __syncthreads();

        for (int k = 0; k < K; ++k)
            summe += links[threadIdx.y][k] * rechts[k][threadIdx.x];
        __syncthreads();
    }

    if (i < hz && j < spalten)
        C[(size_t)i * hs + j] = summe;
}

template __global__ void reduziert<float>(const float *, const float *, float *, int, int, int);
template __global__ void reduziert<double>(const double *, const double *, double *, int, int, int);
