// y = A * x, A ma m wierszy i n kolumn (wierszami). Jeden warp liczy cały wiersz,
// a potem bierze następny: siatka może być mniejsza niż liczba wierszy.
// m, n od 1 do 30000.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

template <int WARPY>
__global__ void __launch_bounds__(WARPY * 32)
mnozWektor(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y, int m, int n)
{
    const int linia = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    for (int w = blockIdx.x * WARPY + warp; w < m; w += gridDim.x * blockDim.x) {
        const float* wiersz = A + (size_t)w * n;
        float s = 0.0f;
        for (int k = linia; k < n; k += 32)
            s = fmaf(wiersz[k], x[k], s);
        for (int d = 16; d; d >>= 1)
            s += __shfl_xor_sync(0xffffffffu, s, d);
        if (linia == 0) y[w] = s;
    }
}

int main()
{
    const int m = 20011, n = 517;
    std::vector<float> A((size_t)m * n), x(n), y(m);
    for (size_t i = 0; i < A.size(); ++i) A[i] = float(i % 17) / 16.0f - 0.5f;
    for (int i = 0; i < n; ++i) x[i] = float(i % 5) - 2.0f;

    float *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dx, n * sizeof(float));
    cudaMalloc(&dy, m * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    constexpr int WARPY = 8;
    int sm = 1;
    cudaDeviceGetAttribute(&sm, cudaDevAttrMultiProcessorCount, 0);
    const int bloki = std::min((m + WARPY - 1) / WARPY, 4 * sm);
    mnozWektor<WARPY><<<bloki, WARPY * 32>>>(dA, dx, dy, m, n);
    cudaMemcpy(y.data(), dy, m * sizeof(float), cudaMemcpyDeviceToHost);

    float blad = 0.0f;
    for (int i = 0; i < m; ++i) {
        double s = 0.0;
        for (int k = 0; k < n; ++k) s += double(A[(size_t)i * n + k]) * x[k];
        blad = std::max(blad, std::fabs(float(s) - y[i]));
    }
    std::printf("max |blad| = %g\n", blad);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
}
