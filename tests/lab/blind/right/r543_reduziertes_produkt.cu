// Uebung 5: reduziertes Matrixprodukt
//   C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A ist m x k, B ist k x n, C ist (m/2) x (n/2), alles zeilenweise gespeichert.
// m und n muessen gerade sein, k ist beliebig. Zeiger kommen aus cudaMalloc.
// Start: dim3 block(KACHEL, KACHEL), grid(aufrunden(n/2, KACHEL), aufrunden(m/2, KACHEL))
#include <cuda_runtime.h>

#define KACHEL 16

struct Problem {
    int m, n, k;
    __host__ __device__ int zeilenC() const { return m / 2; }
    __host__ __device__ int spaltenC() const { return n / 2; }
};

__device__ float holePaarA(const float *A, const Problem &p, int zeile, int kk)
{
    if (zeile >= p.zeilenC() || kk >= p.k)
        return 0.0f;
    const float *oben = A + (size_t)(2 * zeile) * p.k;
    return oben[kk] + oben[p.k + kk];
}

__device__ float holePaarB(const float *B, const Problem &p, int kk, int spalte)
{
    if (kk >= p.k || spalte >= p.spaltenC())
        return 0.0f;
    // n gerade => jede Zeile beginnt auf einer 8-Byte-Grenze
    const float2 *zeile = reinterpret_cast<const float2 *>(B + (size_t)kk * p.n);
    float2 v = zeile[spalte];
    return v.x + v.y;
}

__global__ void reduziertesProdukt(const float *A, const float *B, float *C, Problem p)
{
    __shared__ float sA[KACHEL][KACHEL];
    __shared__ float sB[KACHEL][KACHEL];

    int spalte = blockIdx.x * KACHEL + threadIdx.x;
    int zeile = blockIdx.y * KACHEL + threadIdx.y;
    float summe = 0.0f;

    int anzahl = (p.k + KACHEL - 1) / KACHEL;
    for (int t = 0; t < anzahl; t++) {
        // schon beim Laden addieren, dann wird nur noch ein Viertel multipliziert
        sA[threadIdx.y][threadIdx.x] = holePaarA(A, p, zeile, t * KACHEL + threadIdx.x);
        sB[threadIdx.y][threadIdx.x] = holePaarB(B, p, t * KACHEL + threadIdx.y, spalte);
        __syncthreads();

        for (int i = 0; i < KACHEL; i++)
            summe += sA[threadIdx.y][i] * sB[i][threadIdx.x];
        __syncthreads();
    }

    if (zeile < p.zeilenC() && spalte < p.spaltenC())
        C[(size_t)zeile * p.spaltenC() + spalte] = summe;
}
