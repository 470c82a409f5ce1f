// Zadanie 6: C = A * B^T  (wierszami), A: M x K, B: N x K, C: M x N
// Oba kafelki są czytane wzdłuż k, więc dostęp do pamięci globalnej jest łączony.
#include <cuda_runtime.h>
#include <stdexcept>

template <class Typ, int KAF>
struct Kafelek {
    Typ dane[KAF][KAF + 1]; // +1: bez konfliktów banków
    __device__ Typ *operator[](int w) { return dane[w]; }
};

template <class Typ, int KAF>
__global__ void iloczynABt(const Typ *__restrict__ A, const Typ *__restrict__ B,
                           Typ *__restrict__ C, int M, int N, int K)
{
    __shared__ Kafelek<Typ, KAF> kA;
    __shared__ Kafelek<Typ, KAF> kB;

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int wiersz = blockIdx.y * KAF + ty;
    const int kolumna = blockIdx.x * KAF + tx;
    const int wierszB = blockIdx.x * KAF + ty; // wiersz B = kolumna B^T

    Typ suma = Typ(0);
    for (int k0 = 0; k0 < K; k0 += KAF) {
        const int k = k0 + tx;
        kA[ty][tx] = (wiersz < M && k < K) ? A[(size_t)wiersz * K + k] : Typ(0);
        kB[ty][tx] = (wierszB < N && k < K) ? B[(size_t)wierszB * K + k] : Typ(0);
        __syncthreads();

#pragma unroll
        for (int q = 0; q < KAF; ++q)
            suma += kA[ty][q] * kB[q][tx];
        __syncthreads();
    }

    if (wiersz < M && kolumna < N)
        C[(size_t)wiersz * N + kolumna] = suma;
}

template <class Typ>
void uruchomABt(const Typ *dA, const Typ *dB, Typ *dC, int M, int N, int K,
                cudaStream_t strumien = 0)
{
    if (M <= 0 || N <= 0 || K <= 0)
        throw std::invalid_argument("wymiary musza byc dodatnie");
    constexpr int KAF = sizeof(Typ) == 8 ? 16 : 32;
    const dim3 blok(KAF, KAF);
    const dim3 siatka((N + KAF - 1) / KAF, (M + KAF - 1) / KAF);
    iloczynABt<Typ, KAF><<<siatka, blok, 0, strumien>>>(dA, dB, dC, M, N, K);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("blad uruchomienia");
}

template void uruchomABt<float>(const float *, const float *, float *, int, int, int, cudaStream_t);
template void uruchomABt<double>(const double *, const double *, double *, int, int, int, cudaStream_t);
