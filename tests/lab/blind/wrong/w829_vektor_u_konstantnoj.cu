// y = A * x; vektor x ide dio po dio u konstantnu memoriju.
// A: m redaka, n stupaca (po recima), m i n od 1 do 60000.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define KOMAD 2048

__constant__ float cx[KOMAD];

// A pokazuje na prvi stupac komada; lda je puna širina retka
__global__ void dodajKomad(const float* A, float* y, int m, int duljina, int lda, bool prvi)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m) return;
    const float* a = A + (size_t)r * lda;
    float s = prvi ? 0.0f : y[r];
    for (int k = 0; k < duljina; ++k)
        s += a[k] * cx[k];
    y[r] = s;
}

// dA i dy su na uređaju, x je na domaćinu
void pomnozi(const float* dA, const float* x, float* dy, int m, int n)
{
    const int niti = 128;
    for (int k0 = 0; k0 < n; k0 += KOMAD) {
        const int duljina = std::min(KOMAD, n - k0);
        cudaMemcpyToSymbol(cx, x, duljina * sizeof(float));
        dodajKomad<<<(m + niti - 1) / niti, niti>>>(dA + k0, dy, m, duljina, n, k0 == 0);
    }
}

int main()
{
    const int m = 500, n = 5000;
    std::vector<float> A((size_t)m * n), x(n), y(m);
    for (size_t i = 0; i < A.size(); ++i) A[i] = 0.5f * (i % 3);
    for (int i = 0; i < n; ++i) x[i] = std::cos(0.01f * i);

    float *dA, *dy;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dy, m * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    pomnozi(dA, x.data(), dy, m, n);
    cudaMemcpy(y.data(), dy, m * sizeof(float), cudaMemcpyDeviceToHost);

    double razlika = 0.0;
    for (int i = 0; i < m; ++i) {
        double s = 0.0;
        for (int k = 0; k < n; ++k) s += double(A[(size_t)i * n + k]) * x[k];
        razlika = std::max(razlika, std::fabs(s - y[i]));
    }
    std::printf("najveca razlika: %g\n", razlika);
    cudaFree(dA);
    cudaFree(dy);
    return 0;
}
