// Laboratorium 4: histogram wartości całkowitych.
// Każdy blok liczy własną kopię w pamięci współdzielonej (rozmiar dynamiczny),
// na końcu kopie są dodawane atomowo do wyniku.
// Wartości spoza przedziału [0, kubelki) są pomijane.
// Ograniczenie: 1 <= kubelki <= 12288 (48 KB pamięci współdzielonej), n >= 0.
#include <cuda_runtime.h>

__global__ void liczHistogram(const int* dane, int n, unsigned int* wynik, int kubelki)
{
    extern __shared__ unsigned int lokalny[];

    for (int k = threadIdx.x; k < kubelki; k += blockDim.x)
        lokalny[k] = 0u;
    __syncthreads();

    const long long krok = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += krok) {
        const int v = dane[i];
        if (v >= 0 && v < kubelki)
            atomicAdd(&lokalny[v], 1u);
    }
    __syncthreads();

    for (int k = threadIdx.x; k < kubelki; k += blockDim.x)
        if (lokalny[k] != 0u)
            atomicAdd(&wynik[k], lokalny[k]);
}

// dane: n liczb w pamięci komputera; wynik: tablica "kubelki" liczników.
// Zwraca true, jeśli wszystko się udało.
bool histogram(const int* dane, int n, unsigned int* wynik, int kubelki)
{
    if (n < 0 || kubelki < 1 || kubelki > 12288)
        return false;
    if (n == 0) {
        for (int k = 0; k < kubelki; ++k) wynik[k] = 0u;
        return true;
    }

    int* dDane = nullptr;
    unsigned int* dWynik = nullptr;
    const size_t bajtyDanych = (size_t)n * sizeof(int);
    const size_t bajtyWyniku = (size_t)kubelki * sizeof(unsigned int);

    bool ok = cudaMalloc(&dDane, bajtyDanych) == cudaSuccess
           && cudaMalloc(&dWynik, bajtyWyniku) == cudaSuccess
           && cudaMemcpy(dDane, dane, bajtyDanych, cudaMemcpyHostToDevice) == cudaSuccess
           && cudaMemset(dWynik, 0, bajtyWyniku) == cudaSuccess;

    if (ok) {
        const int watki = 256;
        int bloki = (n - 1) / watki + 1;
        if (bloki > 240) bloki = 240;
        liczHistogram<<<bloki, watki, bajtyWyniku>>>(dDane, n, dWynik, kubelki);
        ok = cudaGetLastError() == cudaSuccess
          && cudaMemcpy(wynik, dWynik, bajtyWyniku, cudaMemcpyDeviceToHost) == cudaSuccess;
    }

    cudaFree(dDane);
    cudaFree(dWynik);
    return ok;
}
