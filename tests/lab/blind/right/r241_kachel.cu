// Uebungsblatt 7, Aufgabe 2: gekachelte Matrixmultiplikation C = A * B
// A: zeilen x innen, B: innen x spalten, C: zeilen x spalten (alles zeilenweise)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define KACHEL 16

static void pruefe(cudaError_t fehler, const char *wo)
{
    if (fehler != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", wo, cudaGetErrorString(fehler));
        std::exit(1);
    }
}

__global__ void matMulKachel(const float *A, const float *B, float *C,
                             int zeilen, int innen, int spalten)
{
    __shared__ float kA[KACHEL][KACHEL];
    __shared__ float kB[KACHEL][KACHEL];

    int z = blockIdx.y * KACHEL + threadIdx.y;
    int s = blockIdx.x * KACHEL + threadIdx.x;
    float summe = 0.0f;

    int anzahl = (innen + KACHEL - 1) / KACHEL;
    for (int t = 0; t < anzahl; ++t) {
        int aSpalte = t * KACHEL + threadIdx.x;
        int bZeile  = t * KACHEL + threadIdx.y;

        if (z < zeilen && aSpalte < innen)
            kA[threadIdx.y][threadIdx.x] = A[(size_t)z * innen + aSpalte];
        else
            kA[threadIdx.y][threadIdx.x] = 0.0f;

        if (bZeile < innen && s < spalten)
            kB[threadIdx.y][threadIdx.x] = B[(size_t)bZeile * spalten + s];
        else
            kB[threadIdx.y][threadIdx.x] = 0.0f;

        __syncthreads();
        for (int i = 0; i < KACHEL; ++i)
            summe += kA[threadIdx.y][i] * kB[i][threadIdx.x];
        __syncthreads();
    }

    if (z < zeilen && s < spalten)
        C[(size_t)z * spalten + s] = summe;
}

int main()
{
    const int zeilen = 100, innen = 77, spalten = 53;
    std::vector<float> A((size_t)zeilen * innen), B((size_t)innen * spalten), C((size_t)zeilen * spalten);
    for (size_t i = 0; i < A.size(); ++i) A[i] = (float)(i % 7) - 3.0f;
    for (size_t i = 0; i < B.size(); ++i) B[i] = (float)(i % 5) - 2.0f;

    float *dA, *dB, *dC;
    pruefe(cudaMalloc(&dA, A.size() * sizeof(float)), "malloc A");
    pruefe(cudaMalloc(&dB, B.size() * sizeof(float)), "malloc B");
    pruefe(cudaMalloc(&dC, C.size() * sizeof(float)), "malloc C");
    pruefe(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice), "kopiere A");
    pruefe(cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice), "kopiere B");

    dim3 block(KACHEL, KACHEL);
    dim3 gitter((spalten + KACHEL - 1) / KACHEL, (zeilen + KACHEL - 1) / KACHEL);
    matMulKachel<<<gitter, block>>>(dA, dB, dC, zeilen, innen, spalten);
    pruefe(cudaGetLastError(), "start");
    pruefe(cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost), "kopiere C");

    double groessterFehler = 0.0;
    for (int i = 0; i < zeilen; ++i)
        for (int j = 0; j < spalten; ++j) {
            double soll = 0.0;
            for (int k = 0; k < innen; ++k) soll += (double)A[i * innen + k] * B[k * spalten + j];
            groessterFehler = std::fmax(groessterFehler, std::fabs(soll - C[i * spalten + j]));
        }
    std::printf("groesster Fehler: %g\n", groessterFehler);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return groessterFehler < 1e-3 ? 0 : 1;
}
