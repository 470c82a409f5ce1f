/*
 * Reduziertes Matrixprodukt ("halbe" Ausgabe)
 *
 *   P = A * B           A: 2m x K,  B: K x 2n   (zeilenweise, mit lda / ldb)
 *   C[i][j] = P[2i][2j] + P[2i][2j+1] + P[2i+1][2j] + P[2i+1][2j+1]
 *
 * P wird nie gebildet: wegen der Linearitaet gilt
 *   C[i][j] = Summe_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
 *
 * Die Beschreibung der Aufgabe liegt im Konstantenspeicher; deshalb alle Aufrufe
 * im selben Strom absetzen (sonst wird sie einem laufenden Kernel ueberschrieben).
 * m, n, K >= 1 beliebig (m hoechstens 65535*KACHEL wegen gridDim.y);
 * lda >= K, ldb >= 2n, ldc >= n.
 */
#include <cuda_runtime.h>

#define KACHEL 16

struct Auftrag {
    const float *A;
    const float *B;
    float       *C;
    int m, n, K;          // C ist m x n
    int lda, ldb, ldc;
};

__constant__ Auftrag auftrag;

__global__ void quadratsummen()
{
    // +1: keine Bankkonflikte beim spaltenweisen Schreiben
    __shared__ float zeilenpaar[KACHEL][KACHEL + 1];
    __shared__ float spaltenpaar[KACHEL][KACHEL + 1];

    const int i = blockIdx.y * KACHEL + threadIdx.y;
    const int j = blockIdx.x * KACHEL + threadIdx.x;

    float summe = 0.f;

    for (int kStart = 0; kStart < auftrag.K; kStart += KACHEL) {
        const int ka = kStart + threadIdx.x;
        float a = 0.f;
        if (i < auftrag.m && ka < auftrag.K) {
            const float *oben = auftrag.A + (size_t)(2 * i) * auftrag.lda + ka;
            a = oben[0] + oben[auftrag.lda];
        }
        zeilenpaar[threadIdx.y][threadIdx.x] = a;

        const int kb = kStart + threadIdx.y;
        float b = 0.f;
        if (kb < auftrag.K && j < auftrag.n) {
            const float *links = auftrag.B + (size_t)kb * auftrag.ldb + 2 * j;
            b = links[0] + links[1];
        }
        spaltenpaar[threadIdx.y][threadIdx.x] = b;

        __syncthreads();
#pragma unroll
        for (int k = 0; k < KACHEL; ++k)
            summe = fmaf(zeilenpaar[threadIdx.y][k], spaltenpaar[k][threadIdx.x], summe);
        __syncthreads();
    }

    if (i < auftrag.m && j < auftrag.n)
        auftrag.C[(size_t)i * auftrag.ldc + j] = summe;
}

cudaError_t starteQuadratsummen(const Auftrag &a, cudaStream_t strom)
{
    cudaError_t fehler = cudaMemcpyToSymbolAsync(auftrag, &a, sizeof(Auftrag), 0,
                                                 cudaMemcpyHostToDevice, strom);
    if (fehler != cudaSuccess) return fehler;
    dim3 faeden(KACHEL, KACHEL);
    dim3 gitter((a.n + KACHEL - 1) / KACHEL, (a.m + KACHEL - 1) / KACHEL);
    quadratsummen<<<gitter, faeden, 0, strom>>>();
    return cudaGetLastError();
}
