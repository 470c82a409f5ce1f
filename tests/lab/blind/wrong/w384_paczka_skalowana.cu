// C[p] = alfa * A[p] * B[p] + beta * C[p] dla paczki malych macierzy.
// A[p]: m x k, B[p]: k x n, C[p]: m x n, macierze leza jedna za druga.
// C jest zawsze odczytywane, wiec musi byc wypelnione takze dla beta = 0.
// Jeden blok na macierz, watki ida po elementach C z krokiem blockDim.x.
#include <cuda_runtime.h>

template <typename T>
struct Paczka {
    const T* A;
    const T* B;
    T* C;
    int m, n, k;
    int ile;
};

template <typename T>
__device__ T iloczyn(const T* wierszA, const T* kolumnaB, int k, int n)
{
    T s = T(0);
    for (int t = 0; t < k; ++t)
        s += wierszA[t] * kolumnaB[t * n];
    return s;
}

template <typename T>
__global__ void mnoz(Paczka<T> w, T alfa, T beta)
{
    for (int p = blockIdx.x; p < w.ile; p += gridDim.x) {
        const T* a = w.A + (size_t)p * w.m * w.k;
        const T* b = w.B + (size_t)p * w.n * w.n;
        T* c = w.C + (size_t)p * w.m * w.n;

        for (int e = threadIdx.x; e < w.m * w.n; e += blockDim.x) {
            const int wiersz = e / w.n;
            const int kolumna = e % w.n;
            const T s = iloczyn(a + wiersz * w.k, b + kolumna, w.k, w.n);
            c[e] = alfa * s + beta * c[e];
        }
    }
}

// Wskazniki w strukturze pokazuja na pamiec karty. Wymiary dodatnie.
template <typename T>
cudaError_t mnozPaczke(const Paczka<T>& w, T alfa, T beta, cudaStream_t strumien = 0)
{
    const int watki = 128;
    const int bloki = w.ile < 1024 ? w.ile : 1024;
    if (bloki <= 0)
        return cudaSuccess;
    mnoz<T><<<bloki, watki, 0, strumien>>>(w, alfa, beta);
    return cudaGetLastError();
}

template cudaError_t mnozPaczke<float>(const Paczka<float>&, float, float, cudaStream_t);
template cudaError_t mnozPaczke<double>(const Paczka<double>&, double, double, cudaStream_t);
