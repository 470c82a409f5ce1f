// Laboratorium 6. Mnożenie macierzy w połowicznej precyzji, akumulacja w float.
// Dowolne rozmiary (do miliona wierszy). Dane wierszami.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define ROZM 16

struct Macierz {
    __half *dane;     // wskaźnik na GPU
    int wiersze;
    int kolumny;
};

__device__ __half pobierz(const Macierz &m, int w, int k)
{
    if (w < m.wiersze && k < m.kolumny)
        return m.dane[(size_t)w * m.kolumny + k];
    return __float2half(0.0f);
}

__global__ void pomnoz(Macierz A, Macierz B, Macierz C)
{
    __shared__ __half plytkaA[ROZM][ROZM + 2];
    __shared__ __half plytkaB[ROZM][ROZM + 2];

    const int w = blockIdx.y * ROZM + threadIdx.y;
    const int k = blockIdx.x * ROZM + threadIdx.x;

    float wynik = 0.0f;
    for (int start = 0; start < A.kolumny; start += ROZM) {
        plytkaA[threadIdx.y][threadIdx.x] = pobierz(A, w, start + threadIdx.x);
        plytkaB[threadIdx.y][threadIdx.x] = pobierz(B, start + threadIdx.y, k);
        __syncthreads();

        #pragma unroll
        for (int i = 0; i < ROZM; i++)
            wynik += __half2float(plytkaA[threadIdx.y][i]) * __half2float(plytkaB[i][threadIdx.x]);

        __syncthreads();
    }

    if (w < C.wiersze && k < C.kolumny)
        C.dane[(size_t)w * C.kolumny + k] = __float2half(wynik);
}

// zwraca false, jeśli wymiary do siebie nie pasują
bool mnozenie(const Macierz &A, const Macierz &B, Macierz &C)
{
    if (A.kolumny != B.wiersze || C.wiersze != A.wiersze || C.kolumny != B.kolumny)
        return false;
    dim3 watki(ROZM, ROZM);
    dim3 bloki((C.kolumny + ROZM - 1) / ROZM, (C.wiersze + ROZM - 1) / ROZM);
    pomnoz<<<bloki, watki>>>(A, B, C);
    if (cudaGetLastError() != cudaSuccess)
        return false;
    return cudaDeviceSynchronize() == cudaSuccess;
}
