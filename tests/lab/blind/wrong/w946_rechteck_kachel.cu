// Matrixprodukt C = A*B mit rechteckigen Kacheln: ein Block rechnet 8 Zeilen x 32 Spalten.
// Beliebige Größen; A ist M x K, B ist K x N, zeilenweise abgelegt.
#include <cuda_runtime.h>

constexpr int ZEILEN = 8;
constexpr int SPALTEN = 32;
constexpr int TIEFE = 32;

__global__ void kachelProdukt(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float kA[ZEILEN][TIEFE];
    __shared__ float kB[TIEFE][SPALTEN];

    const int sx = threadIdx.x;
    const int zy = threadIdx.y;
    const int zeile = blockIdx.y * ZEILEN + zy;
    const int spalte = blockIdx.x * SPALTEN + sx;

    float wert = 0.0f;
    for (int t = 0; t < K; t += TIEFE) {
        kA[zy][sx] = (zeile < M && t + sx < K) ? A[zeile * K + t + sx] : 0.0f;
        #pragma unroll
        for (int u = 0; u < TIEFE; u += ZEILEN)
            kB[zy + u][sx] = (t + zy + u < K && spalte < N) ? B[(t + zy + u) * N + spalte] : 0.0f;
        __syncthreads();
        for (int s = 0; s < TIEFE; ++s)
            wert = fmaf(kA[zy][s], kB[s][sx], wert);
        __syncthreads();
    }
    if (zeile < M && spalte < N)
        C[zeile * N + spalte] = wert;
}

static inline int aufrunden(int a, int b) { return (a + b - 1) / b; }

void starte(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 faeden(SPALTEN, ZEILEN);
    dim3 bloecke(aufrunden(M, ZEILEN), aufrunden(N, SPALTEN));
    kachelProdukt<<<bloecke, faeden>>>(A, B, C, M, N, K);
}
