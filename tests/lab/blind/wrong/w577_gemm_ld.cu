// Esercitazione 4: C = alpha*A*B + beta*C con sottomatrici
// Tutte per righe, con passo di riga (leading dimension) lda >= k, ldb >= n, ldc >= n.
// Cosi' si puo' moltiplicare un pezzo di una matrice piu' grande senza copiarlo.
#include <cuda_runtime.h>
#include <assert.h>

#define LATO 8          // blocco 8x8, ogni thread fa 2x2 elementi -> tessera 16x16
#define TESSERA (2 * LATO)

__global__ void gemmLd(int m, int n, int k, float alpha,
                       const float *A, int lda, const float *B, int ldb,
                       float beta, float *C, int ldc)
{
    __shared__ float As[TESSERA][TESSERA];
    __shared__ float Bs[TESSERA][TESSERA];

    int tx = threadIdx.x, ty = threadIdx.y;
    int riga0 = blockIdx.y * TESSERA;
    int col0 = blockIdx.x * TESSERA;

    float acc[2][2] = {{0.f, 0.f}, {0.f, 0.f}};

    for (int p = 0; p < k; p += TESSERA) {
        for (int dy = 0; dy < TESSERA; dy += LATO)
            for (int dx = 0; dx < TESSERA; dx += LATO) {
                int r = ty + dy, c = tx + dx;
                As[r][c] = (riga0 + r < m && p + c < k) ? A[(riga0 + r) * lda + p + c] : 0.f;
                Bs[r][c] = (p + r < k && col0 + c < n) ? B[(p + r) * lda + col0 + c] : 0.f;
            }
        __syncthreads();

        for (int q = 0; q < TESSERA; q++)
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    acc[i][j] += As[ty + i * LATO][q] * Bs[q][tx + j * LATO];
        __syncthreads();
    }

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int r = riga0 + ty + i * LATO;
            int c = col0 + tx + j * LATO;
            if (r < m && c < n) {
                float *dest = C + r * ldc + c;
                float vecchio = beta == 0.f ? 0.f : beta * (*dest);
                *dest = alpha * acc[i][j] + vecchio;
            }
        }
}

// puntatori device
void gemm(int m, int n, int k, float alpha, const float *A, int lda,
          const float *B, int ldb, float beta, float *C, int ldc)
{
    assert(lda >= k && ldb >= n && ldc >= n);
    dim3 blocco(LATO, LATO);
    dim3 griglia((n + TESSERA - 1) / TESSERA, (m + TESSERA - 1) / TESSERA);
    gemmLd<<<griglia, blocco>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    cudaDeviceSynchronize();
}
