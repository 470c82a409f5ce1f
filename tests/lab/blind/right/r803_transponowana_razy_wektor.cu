// y = A^T * x
// A: m wierszy, n kolumn, wierszami; x ma m elementów, y ma n elementów.
// Wątek odpowiada za jedną kolumnę, blok za pas PAS wierszy; kawałki sum
// z różnych pasów są dodawane atomowo, więc y musi być najpierw wyzerowany
// (robi to funkcja na dole).
// m i n od 1 do 1 000 000.
#include <cuda_runtime.h>

constexpr int WATKI = 128;
constexpr int PAS = 256;

__global__ void transpRazyWektor(const float* __restrict__ A,
                                 const float* __restrict__ x,
                                 float* y, int m, int n)
{
    __shared__ float xs[PAS];

    const int pierwszy = blockIdx.y * PAS;
    const int ile = min(PAS, m - pierwszy);

    for (int t = threadIdx.x; t < ile; t += WATKI)
        xs[t] = x[pierwszy + t];
    __syncthreads();

    const int j = blockIdx.x * WATKI + threadIdx.x;
    if (j >= n) return;

    const float* p = A + static_cast<size_t>(pierwszy) * n + j;
    float suma = 0.f;
#pragma unroll 4
    for (int t = 0; t < ile; ++t, p += n)
        suma += xs[t] * *p;

    atomicAdd(y + j, suma);
}

cudaError_t mnozTransponowana(const float* dA, const float* dx, float* dy,
                              int m, int n, cudaStream_t strumien = nullptr)
{
    cudaError_t blad = cudaMemsetAsync(dy, 0, sizeof(float) * n, strumien);
    if (blad != cudaSuccess) return blad;

    const dim3 siatka((n + WATKI - 1) / WATKI, (m + PAS - 1) / PAS);
    transpRazyWektor<<<siatka, WATKI, 0, strumien>>>(dA, dx, dy, m, n);
    return cudaGetLastError();
}
