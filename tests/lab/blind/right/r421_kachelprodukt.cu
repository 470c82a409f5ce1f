// Uebungsblatt 5, Aufgabe 2: Matrixprodukt C = A * B mit Kacheln im Shared Memory
// A: m x l, B: l x n, C: m x n, alles zeilenweise gespeichert.
// Aufruf: ./kachelprodukt [m l n]
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define PRUEFE(aufruf)                                                        \
    do {                                                                      \
        cudaError_t fehler_ = (aufruf);                                       \
        if (fehler_ != cudaSuccess) {                                         \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                \
                    cudaGetErrorString(fehler_));                             \
            exit(EXIT_FAILURE);                                               \
        }                                                                     \
    } while (0)

constexpr int KACHEL = 16;

__global__ void kachelProdukt(const float *A, const float *B, float *C,
                              int m, int l, int n)
{
    __shared__ float kA[KACHEL][KACHEL];
    __shared__ float kB[KACHEL][KACHEL];

    const int zeile  = blockIdx.y * KACHEL + threadIdx.y;
    const int spalte = blockIdx.x * KACHEL + threadIdx.x;

    float summe = 0.0f;

    for (int start = 0; start < l; start += KACHEL) {
        const int aSpalte = start + threadIdx.x;
        const int bZeile  = start + threadIdx.y;

        // ausserhalb der Matrizen wird mit Nullen aufgefuellt
        if (zeile < m && aSpalte < l)
            kA[threadIdx.y][threadIdx.x] = A[zeile * l + aSpalte];
        else
            kA[threadIdx.y][threadIdx.x] = 0.0f;

        if (bZeile < l && spalte < n)
            kB[threadIdx.y][threadIdx.x] = B[bZeile * n + spalte];
        else
            kB[threadIdx.y][threadIdx.x] = 0.0f;

        __syncthreads();

        for (int p = 0; p < KACHEL; ++p)
            summe += kA[threadIdx.y][p] * kB[p][threadIdx.x];

        __syncthreads();
    }

    if (zeile < m && spalte < n)
        C[zeile * n + spalte] = summe;
}

int main(int argc, char **argv)
{
    int m = 100, l = 77, n = 130;
    if (argc == 4) {
        m = atoi(argv[1]);
        l = atoi(argv[2]);
        n = atoi(argv[3]);
    }
    if (m < 1 || l < 1 || n < 1 || m > 20000 || l > 20000 || n > 20000) {
        fprintf(stderr, "Groessen bitte zwischen 1 und 20000\n");
        return 1;
    }

    std::vector<float> hA((size_t)m * l), hB((size_t)l * n), hC((size_t)m * n);
    for (size_t i = 0; i < hA.size(); ++i) hA[i] = (float)(i % 7) - 3.0f;
    for (size_t i = 0; i < hB.size(); ++i) hB[i] = (float)(i % 5) - 2.0f;

    float *dA, *dB, *dC;
    PRUEFE(cudaMalloc((void **)&dA, hA.size() * sizeof(float)));
    PRUEFE(cudaMalloc((void **)&dB, hB.size() * sizeof(float)));
    PRUEFE(cudaMalloc((void **)&dC, hC.size() * sizeof(float)));
    PRUEFE(cudaMemcpy(dA, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice));
    PRUEFE(cudaMemcpy(dB, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice));

    cudaEvent_t anfang, ende;
    PRUEFE(cudaEventCreate(&anfang));
    PRUEFE(cudaEventCreate(&ende));

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((n + KACHEL - 1) / KACHEL, (m + KACHEL - 1) / KACHEL);

    PRUEFE(cudaEventRecord(anfang));
    kachelProdukt<<<gitter, block>>>(dA, dB, dC, m, l, n);
    PRUEFE(cudaGetLastError());
    PRUEFE(cudaEventRecord(ende));
    PRUEFE(cudaEventSynchronize(ende));
    float ms = 0.0f;
    PRUEFE(cudaEventElapsedTime(&ms, anfang, ende));

    PRUEFE(cudaMemcpy(hC.data(), dC, hC.size() * sizeof(float), cudaMemcpyDeviceToHost));

    // Stichproben gegen die CPU
    int falsch = 0;
    for (int s = 0; s < 500; ++s) {
        int i = rand() % m, j = rand() % n;
        double soll = 0.0;
        for (int p = 0; p < l; ++p)
            soll += (double)hA[(size_t)i * l + p] * hB[(size_t)p * n + j];
        if (fabs(soll - hC[(size_t)i * n + j]) > 1e-3 * (1.0 + fabs(soll)))
            ++falsch;
    }
    printf("%d x %d x %d: %.3f ms, %d falsche Stichproben\n", m, l, n, ms, falsch);

    PRUEFE(cudaEventDestroy(anfang));
    PRUEFE(cudaEventDestroy(ende));
    PRUEFE(cudaFree(dA));
    PRUEFE(cudaFree(dB));
    PRUEFE(cudaFree(dC));
    return falsch != 0;
}
