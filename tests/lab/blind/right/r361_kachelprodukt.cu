// Parallele Programmierung, Übungsblatt 4, Aufgabe 2
// C = A * B mit Kacheln im Shared Memory.
// A: zeilen x innen, B: innen x spalten, alles zeilenweise, Größen >= 1;
// zeilen <= 1048560, und keine Matrix hat mehr als 2^31 - 1 Elemente.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define KACHEL 16

#define PRUEFE(aufruf)                                                        \
    do {                                                                      \
        cudaError_t f = (aufruf);                                             \
        if (f != cudaSuccess) {                                               \
            std::fprintf(stderr, "CUDA-Fehler in Zeile %d: %s\n", __LINE__,   \
                         cudaGetErrorString(f));                              \
            std::exit(1);                                                     \
        }                                                                     \
    } while (0)

__global__ void kachelProdukt(const float* A, const float* B, float* C,
                              int zeilen, int innen, int spalten)
{
    __shared__ float kachelA[KACHEL][KACHEL];
    __shared__ float kachelB[KACHEL][KACHEL];

    int tx = threadIdx.x, ty = threadIdx.y;
    int zeile  = blockIdx.y * KACHEL + ty;
    int spalte = blockIdx.x * KACHEL + tx;
    float summe = 0.0f;

    int anzahl = (innen + KACHEL - 1) / KACHEL;
    for (int t = 0; t < anzahl; ++t) {
        int sa = t * KACHEL + tx;   // Spalte in A
        int zb = t * KACHEL + ty;   // Zeile in B
        kachelA[ty][tx] = (zeile < zeilen && sa < innen) ? A[zeile * innen + sa] : 0.0f;
        kachelB[ty][tx] = (zb < innen && spalte < spalten) ? B[zb * spalten + spalte] : 0.0f;
        __syncthreads();

        for (int k = 0; k < KACHEL; ++k)
            summe += kachelA[ty][k] * kachelB[k][tx];
        __syncthreads();
    }

    if (zeile < zeilen && spalte < spalten)
        C[zeile * spalten + spalte] = summe;
}

int main(int argc, char** argv)
{
    int m = argc > 1 ? std::atoi(argv[1]) : 203;
    int k = argc > 2 ? std::atoi(argv[2]) : 77;
    int n = argc > 3 ? std::atoi(argv[3]) : 150;
    if (m < 1 || k < 1 || n < 1) { std::printf("Größen müssen >= 1 sein\n"); return 1; }

    std::vector<float> hA((size_t)m * k), hB((size_t)k * n), hC((size_t)m * n);
    for (size_t i = 0; i < hA.size(); ++i) hA[i] = (float)(i % 13) - 6.0f;
    for (size_t i = 0; i < hB.size(); ++i) hB[i] = (float)(i % 7) * 0.5f - 1.0f;

    float *dA, *dB, *dC;
    PRUEFE(cudaMalloc(&dA, hA.size() * sizeof(float)));
    PRUEFE(cudaMalloc(&dB, hB.size() * sizeof(float)));
    PRUEFE(cudaMalloc(&dC, hC.size() * sizeof(float)));
    PRUEFE(cudaMemcpy(dA, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice));
    PRUEFE(cudaMemcpy(dB, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((n + KACHEL - 1) / KACHEL, (m + KACHEL - 1) / KACHEL);
    kachelProdukt<<<gitter, block>>>(dA, dB, dC, m, k, n);
    PRUEFE(cudaGetLastError());
    PRUEFE(cudaMemcpy(hC.data(), dC, hC.size() * sizeof(float), cudaMemcpyDeviceToHost));

    int falsch = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0.0, betrag = 0.0;
            for (int l = 0; l < k; ++l) {
                double p = (double)hA[(size_t)i * k + l] * hB[(size_t)l * n + j];
                s += p;
                betrag += std::fabs(p);
            }
            if (std::fabs(s - hC[(size_t)i * n + j]) > 1e-4 * (1.0 + betrag)) ++falsch;
        }
    std::printf(falsch ? "FEHLER: %d falsche Elemente\n" : "OK (%d Fehler)\n", falsch);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return falsch != 0;
}
