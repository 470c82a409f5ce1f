// Kachelweises Matrixprodukt C = A * B, alle Matrizen zeilenweise abgelegt.
// A: zeilen x innen, B: innen x spalten, C: zeilen x spalten.
// Die Abmessungen muessen keine Vielfachen der Kachelbreite sein.
// Grenze: zeilen <= 65535 * 16 (gridDim.y).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define PRUEFE(aufruf)                                                        \
    do {                                                                      \
        cudaError_t fehler_ = (aufruf);                                       \
        if (fehler_ != cudaSuccess) {                                         \
            std::fprintf(stderr, "Zeile %d: %s\n", __LINE__,                  \
                         cudaGetErrorString(fehler_));                        \
            std::exit(1);                                                     \
        }                                                                     \
    } while (0)

constexpr int KACHEL = 16;

__global__ void kachelProdukt(const float* A, const float* B, float* C,
                              int zeilen, int innen, int spalten)
{
    __shared__ float kA[KACHEL][KACHEL];
    __shared__ float kB[KACHEL][KACHEL];

    const int sx = threadIdx.x, sy = threadIdx.y;
    const int z = blockIdx.y * KACHEL + sy;
    const int s = blockIdx.x * KACHEL + sx;
    float summe = 0.0f;

    for (int anfang = 0; anfang < innen; anfang += KACHEL) {
        // Ausserhalb der Matrix wird mit Null aufgefuellt.
        kA[sy][sx] = (z < zeilen && anfang + sx < innen)
                         ? A[z * innen + anfang + sx] : 0.0f;
        kB[sy][sx] = (anfang + sy < innen && s < spalten)
                         ? B[(anfang + sy) * spalten + s] : 0.0f;
        __syncthreads();

#pragma unroll
        for (int t = 0; t < KACHEL; ++t)
            summe += kA[sy][t] * kB[t][sx];
        __syncthreads();
    }

    if (z < zeilen && s < spalten)
        C[z * spalten + s] = summe;
}

int main(int argc, char** argv)
{
    const int zeilen  = argc > 1 ? std::atoi(argv[1]) : 131;
    const int innen   = argc > 2 ? std::atoi(argv[2]) : 77;
    const int spalten = argc > 3 ? std::atoi(argv[3]) : 205;
    if (zeilen < 1 || innen < 1 || spalten < 1) {
        std::fprintf(stderr, "Alle Abmessungen muessen positiv sein.\n");
        return 2;
    }

    std::vector<float> hA(zeilen * innen), hB(innen * spalten), hC(zeilen * spalten);
    for (size_t i = 0; i < hA.size(); ++i) hA[i] = (i * 7 % 23) / 23.0f - 0.5f;
    for (size_t i = 0; i < hB.size(); ++i) hB[i] = (i * 5 % 19) / 19.0f - 0.5f;

    float *dA, *dB, *dC;
    PRUEFE(cudaMalloc(&dA, hA.size() * sizeof(float)));
    PRUEFE(cudaMalloc(&dB, hB.size() * sizeof(float)));
    PRUEFE(cudaMalloc(&dC, hC.size() * sizeof(float)));
    PRUEFE(cudaMemcpy(dA, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice));
    PRUEFE(cudaMemcpy(dB, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((spalten + KACHEL - 1) / KACHEL, (zeilen + KACHEL - 1) / KACHEL);
    cudaEvent_t start, ende;
    PRUEFE(cudaEventCreate(&start));
    PRUEFE(cudaEventCreate(&ende));
    PRUEFE(cudaEventRecord(start));
    kachelProdukt<<<gitter, block>>>(dA, dB, dC, zeilen, innen, spalten);
    PRUEFE(cudaGetLastError());
    PRUEFE(cudaEventRecord(ende));
    PRUEFE(cudaEventSynchronize(ende));
    float ms = 0.0f;
    PRUEFE(cudaEventElapsedTime(&ms, start, ende));
    PRUEFE(cudaMemcpy(hC.data(), dC, hC.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double groesste = 0.0;
    for (int z = 0; z < zeilen; ++z)
        for (int s = 0; s < spalten; ++s) {
            double soll = 0.0;
            for (int t = 0; t < innen; ++t)
                soll += (double)hA[z * innen + t] * hB[t * spalten + s];
            groesste = std::fmax(groesste, std::fabs(soll - hC[z * spalten + s]));
        }
    std::printf("%.3f ms, groesste Abweichung %.2e\n", ms, groesste);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    cudaEventDestroy(start); cudaEventDestroy(ende);
    return groesste < 1e-3 ? 0 : 1;
}
