/* C = A * B^T
 * A: m x k, B: n x k (zeilenweise), C: m x n. Alle Maße frei wählbar (1 .. 20000).
 * Block: 32 x 8 Fäden, jeder Faden berechnet vier Elemente einer Spalte von C.
 */
#include <cuda_runtime.h>

#define S 32
#define FZ 8
#define PRO_FADEN (S / FZ)

__global__ void malTransponiert(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float As[S][S];
    __shared__ float Bs[S][S + 1];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int z0 = blockIdx.y * S;
    const int s0 = blockIdx.x * S;

    float erg[PRO_FADEN] = {0.0f};

    const int kacheln = k / S;
    for (int t = 0; t < kacheln; t++) {
        const int kk = t * S + tx;
        for (int r = ty; r < S; r += FZ) {
            As[r][tx] = (z0 + r < m && kk < k) ? A[(size_t)(z0 + r) * k + kk] : 0.0f;
            Bs[r][tx] = (s0 + r < n && kk < k) ? B[(size_t)(s0 + r) * k + kk] : 0.0f;
        }
        __syncthreads();

        for (int q = 0; q < S; q++) {
            const float b = Bs[tx][q];
            for (int e = 0; e < PRO_FADEN; e++)
                erg[e] += As[ty + e * FZ][q] * b;
        }
        __syncthreads();
    }

    for (int e = 0; e < PRO_FADEN; e++) {
        const int zeile = z0 + ty + e * FZ;
        const int spalte = s0 + tx;
        if (zeile < m && spalte < n)
            C[(size_t)zeile * n + spalte] = erg[e];
    }
}

/* Aufruf:
 *   dim3 faeden(S, FZ);
 *   dim3 bloecke((n + S - 1) / S, (m + S - 1) / S);
 *   malTransponiert<<<bloecke, faeden>>>(A, B, C, m, n, k);
 */
