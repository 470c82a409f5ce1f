// Laboratorium: iloczyn macierzy i wektora, jeden warp na wiersz.
// y = A * x, A ma m wierszy i n kolumn (wierszami, bez odstepow), float.
// Jezeli n dzieli sie przez 4, czytamy float4; w przeciwnym razie zwykle float.
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

#define SPRAWDZ(wyr)                                                         \
    if (cudaError_t blad = (wyr); blad != cudaSuccess) {                     \
        std::cerr << "CUDA: " << cudaGetErrorString(blad)                    \
                  << " w linii " << __LINE__ << std::endl;                   \
        std::abort();                                                        \
    }

constexpr int WARP = 32;
constexpr int WIERSZE_NA_BLOK = 4;

template <bool WEKTOROWO>
__global__ void mnozWiersz(const float *A, const float *x, float *y, int m, int n)
{
    const int lane = threadIdx.x;
    const int wiersz = blockIdx.x * WIERSZE_NA_BLOK + threadIdx.y;
    if (wiersz >= m)          // caly warp wychodzi razem, nie ma tu barier
        return;

    const float *w = A + static_cast<size_t>(wiersz) * n;
    float suma = 0.0f;

    if constexpr (WEKTOROWO) {
        const float4 *w4 = reinterpret_cast<const float4 *>(w);
        const float4 *x4 = reinterpret_cast<const float4 *>(x);
        for (int i = lane; i < n / 4; i += WARP) {
            const float4 p = w4[i];
            const float4 q = x4[i];
            suma += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
        }
    } else {
        for (int i = lane; i < n; i += WARP)
            suma += w[i] * x[i];
    }

    for (int krok = WARP / 2; krok >= 1; krok /= 2)
        suma += __shfl_xor_sync(0xFFFFFFFF, suma, krok);

    if (lane == 0)
        y[wiersz] = suma;
}

std::vector<float> macierzRazyWektor(const std::vector<float> &A, const std::vector<float> &x,
                                     int m, int n)
{
    float *dA = nullptr, *dx = nullptr, *dy = nullptr;
    std::vector<float> y(m);

    SPRAWDZ(cudaMalloc(&dA, sizeof(float) * m * n));
    SPRAWDZ(cudaMalloc(&dx, sizeof(float) * n));
    SPRAWDZ(cudaMalloc(&dy, sizeof(float) * m));
    SPRAWDZ(cudaMemcpy(dA, A.data(), sizeof(float) * m * n, cudaMemcpyHostToDevice));
    SPRAWDZ(cudaMemcpy(dx, x.data(), sizeof(float) * n, cudaMemcpyHostToDevice));

    const dim3 blok(WARP, WIERSZE_NA_BLOK);
    const int siatka = (m + WIERSZE_NA_BLOK - 1) / WIERSZE_NA_BLOK;
    if (n % 4 == 0)
        mnozWiersz<true><<<siatka, blok>>>(dA, dx, dy, m, n);
    else
        mnozWiersz<false><<<siatka, blok>>>(dA, dx, dy, m, n);
    SPRAWDZ(cudaGetLastError());

    SPRAWDZ(cudaMemcpy(y.data(), dy, sizeof(float) * m, cudaMemcpyDeviceToHost));
    SPRAWDZ(cudaFree(dA));
    SPRAWDZ(cudaFree(dx));
    SPRAWDZ(cudaFree(dy));
    return y;
}
