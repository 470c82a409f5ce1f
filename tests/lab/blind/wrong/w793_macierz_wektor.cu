// Mnożenie macierzy przez wektor: y = A * x
// A ma m wierszy i n kolumn (zapis wierszami), jeden wątek liczy jeden wiersz,
// wektor x jest czytany kawałkami do pamięci wspólnej.
// m i n dowolne dodatnie.
#include <cuda_runtime.h>
#include <cstdio>

constexpr int WATKI = 128;

__global__ void macierzWektor(const float* A, const float* x, float* y, int m, int n)
{
    __shared__ float kawalek[WATKI];

    const int wiersz = blockIdx.x * blockDim.x + threadIdx.x;
    if (wiersz >= m) return;
    const bool aktywny = wiersz < m;

    float suma = 0.0f;
    for (int start = 0; start < n; start += WATKI) {
        const int kol = start + threadIdx.x;
        kawalek[threadIdx.x] = kol < n ? x[kol] : 0.0f;
        __syncthreads();

        if (aktywny) {
            const int ile = min(WATKI, n - start);
            for (int j = 0; j < ile; ++j)
                suma += A[(size_t)wiersz * n + start + j] * kawalek[j];
        }
        __syncthreads();
    }

    if (aktywny)
        y[wiersz] = suma;
}

bool policz(const float* A, const float* x, float* y, int m, int n)
{
    const int bloki = (m + WATKI - 1) / WATKI;
    macierzWektor<<<bloki, WATKI>>>(A, x, y, m, n);
    cudaError_t blad = cudaDeviceSynchronize();
    if (blad != cudaSuccess)
        std::printf("blad: %s\n", cudaGetErrorString(blad));
    return blad == cudaSuccess;
}
