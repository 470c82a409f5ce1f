// Matrixprodukt mit doppelt gepufferten Kacheln.
// Einschraenkung: m, n und k muessen Vielfache von KACHEL sein (siehe pruefe()).
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int KACHEL = 32;
constexpr int REIHEN = 8;              // Block ist 32 x 8
constexpr int PRO_FADEN = KACHEL / REIHEN;

__device__ void ladeKachel(float ziel[KACHEL][KACHEL], const float *quelle, int breite)
{
    for (int r = threadIdx.y; r < KACHEL; r += REIHEN)
        ziel[r][threadIdx.x] = quelle[r * breite + threadIdx.x];
}

__global__ void matrixprodukt(const float *a, const float *b, float *c, int n, int k)
{
    __shared__ float pufferA[2][KACHEL][KACHEL];
    __shared__ float pufferB[2][KACHEL][KACHEL];

    const int zeile0 = blockIdx.y * KACHEL;
    const int spalte0 = blockIdx.x * KACHEL;
    const float *aStart = a + zeile0 * k;
    const float *bStart = b + spalte0;

    float summe[PRO_FADEN];
    for (int i = 0; i < PRO_FADEN; i++) summe[i] = 0.0f;

    const int anzahl = k / KACHEL;
    ladeKachel(pufferA[0], aStart, k);
    ladeKachel(pufferB[0], bStart, n);
    __syncthreads();

    for (int t = 0; t < anzahl; t++) {
        const int jetzt = t % 2;
        const int danach = 1 - jetzt;
        if (t + 1 < anzahl) {
            ladeKachel(pufferA[danach], aStart + (t + 1) * KACHEL, k);
            ladeKachel(pufferB[danach], bStart + (t + 1) * KACHEL * n, n);
        }
        for (int p = 0; p < KACHEL; p++) {
            float bWert = pufferB[jetzt][p][threadIdx.x];
            for (int i = 0; i < PRO_FADEN; i++)
                summe[i] += pufferA[jetzt][threadIdx.y + i * REIHEN][p] * bWert;
        }
        // naechste Kachel fertig geladen, aktuelle fertig gelesen
        __syncthreads();
    }

    for (int i = 0; i < PRO_FADEN; i++)
        c[(zeile0 + threadIdx.y + i * REIHEN) * n + spalte0 + threadIdx.x] = summe[i];
}

static bool pruefe(int m, int n, int k)
{
    return m > 0 && n > 0 && k > 0 && m % KACHEL == 0 && n % KACHEL == 0 && k % KACHEL == 0;
}

int main()
{
    const int m = 96, n = 160, k = 128;
    if (!pruefe(m, n, k)) {
        printf("ungueltige Groessen: FAILED\n");
        return 1;
    }
    std::vector<float> a(m * k), b(k * n), c(m * n);
    for (int i = 0; i < m * k; i++) a[i] = float(i % 13) - 6.0f;
    for (int i = 0; i < k * n; i++) b[i] = float(i % 7) - 3.0f;

    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dc, 0xff, c.size() * sizeof(float));

    matrixprodukt<<<dim3(n / KACHEL, m / KACHEL), dim3(KACHEL, REIHEN)>>>(da, db, dc, n, k);
    cudaError_t fehler = cudaDeviceSynchronize();
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(da); cudaFree(db); cudaFree(dc);

    bool gut = fehler == cudaSuccess;
    for (int i = 0; i < m && gut; i++)
        for (int j = 0; j < n; j++) {
            float soll = 0.0f;
            for (int p = 0; p < k; p++) soll += a[i * k + p] * b[p * n + j];
            if (!(std::fabs(soll - c[i * n + j]) <= 1e-2f)) { gut = false; break; }
        }
    printf("Matrixprodukt %d x %d x %d: %s\n", m, k, n, gut ? "OK" : "FAILED");
    return gut ? 0 : 1;
}
