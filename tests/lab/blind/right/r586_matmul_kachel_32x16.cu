// Uebung 3, Parallele Programmierung
// Matrixprodukt C = A * B mit gemeinsamem Speicher.
// A: m x k, B: k x n, C: m x n, alle zeilenweise gespeichert. Beliebige Groessen.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define BREITE 32   // Spalten einer Kachel von C  (= blockDim.x)
#define HOEHE  16   // Zeilen einer Kachel von C   (= blockDim.y)
#define TIEFE  16   // Schrittweite in k, muss gleich HOEHE sein

#define PRUEFE(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "Fehler: %s (Zeile %d)\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)

__global__ void matmulKachel(const float* A, const float* B, float* C, int m, int n, int k)
{
    __shared__ float sA[HOEHE][TIEFE];
    __shared__ float sB[TIEFE][BREITE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int zeile  = blockIdx.y * HOEHE + ty;
    const int spalte = blockIdx.x * BREITE + tx;

    float summe = 0.0f;
    for (int k0 = 0; k0 < k; k0 += TIEFE) {
        // nur die linke Haelfte des Blocks laedt A, denn die Kachel ist 16 breit
        if (tx < TIEFE) {
            int ka = k0 + tx;
            sA[ty][tx] = (zeile < m && ka < k) ? A[(size_t)zeile * k + ka] : 0.0f;
        }
        int kb = k0 + ty;
        sB[ty][tx] = (kb < k && spalte < n) ? B[(size_t)kb * n + spalte] : 0.0f;
        __syncthreads();

        #pragma unroll
        for (int t = 0; t < TIEFE; ++t)
            summe += sA[ty][t] * sB[t][tx];
        __syncthreads();
    }

    if (zeile < m && spalte < n)
        C[(size_t)zeile * n + spalte] = summe;
}

int main(int argc, char** argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 500;
    int n = argc > 2 ? atoi(argv[2]) : 333;
    int k = argc > 3 ? atoi(argv[3]) : 217;
    if (m < 1 || n < 1 || k < 1) { fprintf(stderr, "Groessen muessen positiv sein\n"); return 1; }

    std::vector<float> hA((size_t)m * k), hB((size_t)k * n), hC((size_t)m * n);
    for (auto& v : hA) v = (float)(rand() % 21 - 10) / 10.0f;
    for (auto& v : hB) v = (float)(rand() % 21 - 10) / 10.0f;

    float *dA, *dB, *dC;
    PRUEFE(cudaMalloc(&dA, hA.size() * sizeof(float)));
    PRUEFE(cudaMalloc(&dB, hB.size() * sizeof(float)));
    PRUEFE(cudaMalloc(&dC, hC.size() * sizeof(float)));
    PRUEFE(cudaMemcpy(dA, hA.data(), hA.size() * sizeof(float), cudaMemcpyHostToDevice));
    PRUEFE(cudaMemcpy(dB, hB.data(), hB.size() * sizeof(float), cudaMemcpyHostToDevice));

    dim3 block(BREITE, HOEHE);
    dim3 gitter((n + BREITE - 1) / BREITE, (m + HOEHE - 1) / HOEHE);
    matmulKachel<<<gitter, block>>>(dA, dB, dC, m, n, k);
    PRUEFE(cudaGetLastError());
    PRUEFE(cudaMemcpy(hC.data(), dC, hC.size() * sizeof(float), cudaMemcpyDeviceToHost));

    double maxFehler = 0.0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double ref = 0.0;
            for (int l = 0; l < k; ++l) ref += (double)hA[(size_t)i * k + l] * hB[(size_t)l * n + j];
            maxFehler = fmax(maxFehler, fabs(ref - hC[(size_t)i * n + j]));
        }
    printf("max. Fehler: %g -> %s\n", maxFehler, maxFehler < 1e-3 * k ? "OK" : "FALSCH");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return 0;
}
