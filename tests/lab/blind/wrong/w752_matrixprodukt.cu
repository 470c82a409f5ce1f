// Uebung 4: Matrixprodukt in doppelter Genauigkeit, Groessen beliebig.
// Block 32 x 8, jeder Thread rechnet vier Elemente einer Spalte der Kachel.
#include <cstdio>
#include <cmath>
#include <vector>
#include <random>
#include <cuda_runtime.h>

constexpr int KACHEL = 32;
constexpr int ZEILEN = 8;                    // Zeilen des Blocks
constexpr int JE_THREAD = KACHEL / ZEILEN;   // Elemente je Thread

__global__ void produkt(const double* __restrict__ links, const double* __restrict__ rechts,
                        double* __restrict__ ergebnis, int m, int k, int n)
{
    __shared__ double kachelL[KACHEL][KACHEL];
    __shared__ double kachelR[KACHEL][KACHEL + 1];

    const int sx = threadIdx.x;
    const int sy = threadIdx.y;
    const int zeile0 = blockIdx.y * KACHEL;
    const int spalte = blockIdx.x * KACHEL + sx;

    double summe[JE_THREAD] = {0.0, 0.0, 0.0, 0.0};

    const int schritte = (k + KACHEL - 1) / KACHEL;
    for (int s = 0; s < schritte; s++) {
        const int k0 = s * KACHEL;
        for (int r = sy; r < KACHEL; r += ZEILEN) {
            const int z = zeile0 + r;
            if (z < m && k0 + sx < k)
                kachelL[r][sx] = links[(long)z * k + k0 + sx];
            if (k0 + r < k && spalte < n)
                kachelR[r][sx] = rechts[(long)(k0 + r) * n + spalte];
        }
        __syncthreads();

        for (int p = 0; p < KACHEL; p++) {
            const double b = kachelR[p][sx];
            for (int e = 0; e < JE_THREAD; e++)
                summe[e] += kachelL[sy + e * ZEILEN][p] * b;
        }
        __syncthreads();
    }

    for (int e = 0; e < JE_THREAD; e++) {
        const int z = zeile0 + sy + e * ZEILEN;
        if (z < m && spalte < n)
            ergebnis[(long)z * n + spalte] = summe[e];
    }
}

static bool pruefe(const std::vector<double>& a, const std::vector<double>& b,
                   const std::vector<double>& c, int m, int k, int n)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0.0;
            for (int p = 0; p < k; p++) s += a[i * k + p] * b[p * n + j];
            if (std::fabs(s - c[i * n + j]) > 1e-9) {
                std::printf("Fehler bei (%d,%d): %f statt %f\n", i, j, c[i * n + j], s);
                return false;
            }
        }
    return true;
}

int main()
{
    const int m = 250, k = 333, n = 190;
    std::mt19937 zufall(7);
    std::uniform_real_distribution<double> gleich(-1.0, 1.0);
    std::vector<double> a(m * k), b(k * n), c(m * n);
    for (double& w : a) w = gleich(zufall);
    for (double& w : b) w = gleich(zufall);

    double *ga, *gb, *gc;
    cudaMalloc(&ga, a.size() * sizeof(double));
    cudaMalloc(&gb, b.size() * sizeof(double));
    cudaMalloc(&gc, c.size() * sizeof(double));
    cudaMemcpy(ga, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(gb, b.data(), b.size() * sizeof(double), cudaMemcpyHostToDevice);

    dim3 block(KACHEL, ZEILEN);
    dim3 gitter((n + KACHEL - 1) / KACHEL, (m + KACHEL - 1) / KACHEL);
    produkt<<<gitter, block>>>(ga, gb, gc, m, k, n);
    cudaMemcpy(c.data(), gc, c.size() * sizeof(double), cudaMemcpyDeviceToHost);

    std::printf("%s\n", pruefe(a, b, c, m, k, n) ? "richtig" : "falsch");
    cudaFree(ga); cudaFree(gb); cudaFree(gc);
    return 0;
}
