// C = alfa * A * B + beta * C i dubbel precision, radvis lagring.
// A: m x k, B: k x n, C: m x n, alla mått 1..12000.
// k delas i paneler om PANEL kolumner; varje panel blir ett eget kärnanrop.
#include <algorithm>
#include <cuda_runtime.h>

constexpr int RUTA = 16;
constexpr int PANEL = 512;

struct Del {
    const double *A, *B;
    double* C;
    int m, n, k;        // k = panelens bredd
    int lda, ldb, ldc;
};

__global__ void panelProdukt(Del d, double alfa, double beta)
{
    __shared__ double a[RUTA][RUTA];
    __shared__ double b[RUTA][RUTA + 1];
    const int x = threadIdx.x, y = threadIdx.y;
    const int rad = blockIdx.y * RUTA + y;
    const int kol = blockIdx.x * RUTA + x;

    double sum = 0.0;
    for (int k0 = 0; k0 < d.k; k0 += RUTA) {
        a[y][x] = (rad < d.m && k0 + x < d.k) ? d.A[(size_t)rad * d.lda + k0 + x] : 0.0;
        b[y][x] = (kol < d.n && k0 + y < d.k) ? d.B[(size_t)(k0 + y) * d.ldb + kol] : 0.0;
        __syncthreads();
        for (int q = 0; q < RUTA; ++q) sum = fma(a[y][q], b[q][x], sum);
        __syncthreads();
    }
    if (rad < d.m && kol < d.n) {
        double& c = d.C[(size_t)rad * d.ldc + kol];
        c = alfa * sum + beta * c;
    }
}

// Pekarna pekar på enhetens minne. C måste innehålla giltiga tal.
cudaError_t matrisprodukt(const double* A, const double* B, double* C,
                          int m, int n, int k, double alfa, double beta)
{
    const dim3 block(RUTA, RUTA);
    const dim3 rutnat((n + RUTA - 1) / RUTA, (m + RUTA - 1) / RUTA);
    for (int k0 = 0; k0 < k; k0 += PANEL) {
        const Del d{A + k0, B + (size_t)k0 * n, C, m, n, std::min(PANEL, k - k0), k, n, n};
        panelProdukt<<<rutnat, block>>>(d, alfa, beta);
    }
    return cudaGetLastError();
}
