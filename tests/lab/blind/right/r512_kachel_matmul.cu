// Übung 3: Matrixmultiplikation mit Kacheln im Shared Memory
// Beliebige Größen (auch keine Vielfachen von KACHEL).
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

constexpr int KACHEL = 16;

__global__ void matmulKachel(const float* a, const float* b, float* c,
                             int zeilen, int innen, int spalten)
{
    __shared__ float ka[KACHEL][KACHEL];
    __shared__ float kb[KACHEL][KACHEL];

    const int lx = threadIdx.x, ly = threadIdx.y;
    const int z = blockIdx.y * KACHEL + ly;   // Zeile von C
    const int s = blockIdx.x * KACHEL + lx;   // Spalte von C

    float summe = 0.f;
    const int anzahl = (innen + KACHEL - 1) / KACHEL;
    for (int t = 0; t < anzahl; ++t) {
        const int ak = t * KACHEL + lx;
        const int bk = t * KACHEL + ly;
        // ausserhalb der Matrix wird mit Null aufgefüllt
        ka[ly][lx] = (z < zeilen && ak < innen) ? a[z * innen + ak] : 0.f;
        kb[ly][lx] = (bk < innen && s < spalten) ? b[bk * spalten + s] : 0.f;
        __syncthreads();                      // Kacheln vollständig geladen

        for (int k = 0; k < KACHEL; ++k)
            summe += ka[ly][k] * kb[k][lx];
        __syncthreads();                      // erst dann überschreiben
    }

    // Erst hier aussteigen, sonst fehlen Threads an der Barriere!
    if (z < zeilen && s < spalten)
        c[z * spalten + s] = summe;
}

bool teste(int m, int k, int n)
{
    std::vector<float> a(m * k), b(k * n), c(m * n, -1.f);
    for (int i = 0; i < m * k; ++i) a[i] = (i % 7) - 3.f;
    for (int i = 0; i < k * n; ++i) b[i] = (i % 5) - 2.f;

    float *da = nullptr, *db = nullptr, *dc = nullptr;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 faeden(KACHEL, KACHEL);
    dim3 gitter((n + KACHEL - 1) / KACHEL, (m + KACHEL - 1) / KACHEL);
    matmulKachel<<<gitter, faeden>>>(da, db, dc, m, k, n);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaError_t fehler = cudaGetLastError();
    cudaFree(da); cudaFree(db); cudaFree(dc);
    if (fehler != cudaSuccess) {
        std::cerr << cudaGetErrorString(fehler) << "\n";
        return false;
    }

    float maxdiff = 0.f;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float r = 0.f;
            for (int l = 0; l < k; ++l) r += a[i * k + l] * b[l * n + j];
            maxdiff = std::max(maxdiff, std::fabs(r - c[i * n + j]));
        }
    std::cout << m << "x" << k << "x" << n << ": max. Abweichung " << maxdiff << "\n";
    return maxdiff < 1e-2f;
}

int main()
{
    bool ok = true;
    ok &= teste(16, 16, 16);
    ok &= teste(64, 32, 48);
    ok &= teste(17, 33, 5);
    ok &= teste(1, 100, 1);
    ok &= teste(123, 77, 201);
    std::cout << (ok ? "Alles richtig" : "FEHLER") << std::endl;
    return ok ? 0 : 1;
}
