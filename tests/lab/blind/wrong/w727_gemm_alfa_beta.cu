// Esercizio 6: GEMM completo
//     C <- alfa * A * B + beta * C
// A: m x k, B: k x n, C: m x n, righe contigue, dimensioni qualsiasi.
// Ogni thread calcola RIGHE elementi consecutivi di una colonna di C.
#include <stdexcept>
#include <string>
#include <cuda_runtime.h>

static const int LATO  = 32;   // lato della tessera
static const int RIGHE = 4;    // elementi per thread
static const int TY    = LATO / RIGHE;

__global__ void gemm(int m, int n, int k, float alfa, const float *A,
                     const float *B, float beta, float *C)
{
    __shared__ float ta[LATO][LATO + 1];
    __shared__ float tb[LATO][LATO + 1];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int riga0 = blockIdx.y * LATO;
    const int colonna = blockIdx.x * LATO + x;

    float somma[RIGHE];
    for (int e = 0; e < RIGHE; e++) somma[e] = 0.f;

    for (int inizio = 0; inizio < k; inizio += LATO) {
        for (int e = 0; e < RIGHE; e++) {
            const int r = y * RIGHE + e;
            const bool okA = riga0 + r < m && inizio + x < k;
            const bool okB = inizio + r < k && colonna < n;
            ta[r][x] = okA ? A[(size_t)(riga0 + r) * k + inizio + x] : 0.f;
            tb[r][x] = okB ? B[(size_t)(inizio + r) * n + colonna] : 0.f;
        }
        __syncthreads();

        for (int q = 0; q < LATO; q++) {
            const float b = tb[q][x];
            for (int e = 0; e < RIGHE; e++)
                somma[e] += ta[y * RIGHE + e][q] * b;
        }
        __syncthreads();
    }

    if (colonna >= n) return;
    for (int e = 0; e < RIGHE; e++) {
        const int riga = riga0 + y * RIGHE + e;
        if (riga < m) {
            const size_t pos = (size_t)riga * n + colonna;
            // con beta == 0 il vecchio C non si legge
            const float vecchio = (beta == 0.f) ? 0.f : beta * C[pos];
            C[pos] = alfa * (somma[e] + vecchio);
        }
    }
}

// A, B e C sono puntatori sulla scheda
void lancia_gemm(int m, int n, int k, float alfa, const float *A,
                 const float *B, float beta, float *C)
{
    if (m == 0 || n == 0) return;
    dim3 blocco(LATO, TY);
    dim3 griglia((n + LATO - 1) / LATO, (m + LATO - 1) / LATO);
    gemm<<<griglia, blocco>>>(m, n, k, alfa, A, B, beta, C);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess)
        throw std::runtime_error(std::string("gemm: ") + cudaGetErrorString(err));
}
