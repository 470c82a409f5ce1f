// C = alfa*A*B + beta*C por paneles: A y B no caben enteras en la tarjeta,
// así que se envían por trozos de PANEL a lo largo de k.
#include <cstdio>
#include <vector>
#include <cmath>
#include <algorithm>
#include <cuda_runtime.h>

constexpr int PANEL = 64;

// A: m x ancho (fila contigua), B: ancho x n
__global__ void gemmPanel(int m, int n, int ancho, float alfa, const float* A,
                          const float* B, float beta, float* C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n) return;
    float s = 0.0f;
    for (int p = 0; p < ancho; ++p) s += A[i * ancho + p] * B[p * n + j];
    C[i * n + j] = alfa * s + beta * C[i * n + j];
}

int main()
{
    const int m = 70, n = 90, k = 200;
    const float alfa = 2.0f, beta = 0.5f;
    std::vector<float> a(m * k), b(k * n), c(m * n), c0(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = float(i % 3);
    for (int i = 0; i < k * n; ++i) b[i] = float(i % 4);
    for (int i = 0; i < m * n; ++i) c0[i] = float(i % 8);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, m * PANEL * sizeof(float));
    cudaMalloc(&dB, PANEL * n * sizeof(float));
    cudaMalloc(&dC, m * n * sizeof(float));
    cudaMemcpy(dC, c0.data(), m * n * sizeof(float), cudaMemcpyHostToDevice);

    dim3 bloque(16, 16), malla((n + 15) / 16, (m + 15) / 16);
    for (int p0 = 0; p0 < k; p0 += PANEL) {
        int ancho = std::min(PANEL, k - p0);
        cudaMemcpy2D(dA, ancho * sizeof(float), a.data() + p0, k * sizeof(float),
                     ancho * sizeof(float), m, cudaMemcpyHostToDevice);
        cudaMemcpy(dB, b.data() + p0 * n, ancho * n * sizeof(float), cudaMemcpyHostToDevice);
        gemmPanel<<<malla, bloque>>>(m, n, ancho, alfa, dA, dB, beta, dC);
    }
    cudaMemcpy(c.data(), dC, m * n * sizeof(float), cudaMemcpyDeviceToHost);

    float dif = 0.0f;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float s = 0.0f;
            for (int p = 0; p < k; ++p) s += a[i * k + p] * b[p * n + j];
            dif = std::max(dif, std::fabs(alfa * s + beta * c0[i * n + j] - c[i * n + j]));
        }
    printf("diferencia máxima: %g\n", dif);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return dif > 0.0f;
}
