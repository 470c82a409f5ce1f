// Übungsblatt 7, Aufgabe 2: ganzzahliges Matrixprodukt C = A * B mit __dp4a
// A: M x K zeilenweise, B: K x N spaltenweise gespeichert (jede Spalte zusammenhängend).
// K muss durch 4 teilbar sein und K <= 49152 (Shared Memory). |Einträge| <= 127, passt also in int32.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

// Ein Block pro Zeile von C; die Zeile von A liegt im dynamischen Shared Memory (K Bytes).
__global__ void matmulInt8(const int8_t *A, const int8_t *B, int32_t *C, int N, int K)
{
    extern __shared__ int zeile[];
    const int worte = K / 4;
    const int *quelle = reinterpret_cast<const int *>(A + (size_t)blockIdx.x * K);

    for (int w = threadIdx.x; w < worte; w += blockDim.x)
        zeile[w] = quelle[w];
    __syncthreads();

    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        const int *spalte = reinterpret_cast<const int *>(B + (size_t)j * K);
        int summe = 0;
        for (int w = 0; w < worte; ++w)
            summe = __dp4a(zeile[w], spalte[w], summe);
        C[(size_t)blockIdx.x * N + j] = summe;
    }
}

int main()
{
    const int M = 97, N = 301, K = 252;
    std::vector<int8_t> a(M * K), b(K * N);
    for (auto &v : a) v = (int8_t)(rand() % 255 - 127);
    for (auto &v : b) v = (int8_t)(rand() % 255 - 127);

    int8_t *dA, *dB;
    int32_t *dC;
    cudaMalloc(&dA, a.size());
    cudaMalloc(&dB, b.size());
    cudaMalloc(&dC, M * N * sizeof(int32_t));
    cudaMemcpy(dA, a.data(), a.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, b.data(), b.size(), cudaMemcpyHostToDevice);

    matmulInt8<<<M, 128, K>>>(dA, dB, dC, N, K);

    std::vector<int32_t> c(M * N);
    cudaMemcpy(c.data(), dC, M * N * sizeof(int32_t), cudaMemcpyDeviceToHost);

    int fehler = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            int32_t s = 0;
            for (int k = 0; k < K; ++k) s += (int32_t)a[i * K + k] * b[j * K + k];
            if (s != c[i * N + j]) ++fehler;
        }
    printf(fehler ? "FALSCH: %d Fehler\n" : "richtig (%d Fehler)\n", fehler);

    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return fehler != 0;
}
