// Esercizio 3b: C = A^T * B
//
// A ha k righe e m colonne, B ha k righe e n colonne, C ha m righe e n colonne.
// Tutte per righe, dimensioni qualsiasi.
// Blocchi di 16 x 16 thread; blockIdx.y sceglie le righe di C, blockIdx.x le colonne.
#include <cuda_runtime.h>

static const int LATO = 16;

__device__ __forceinline__ float prendi(const float *M, int r, int c, int righe, int colonne)
{
    return (r < righe && c < colonne) ? M[(size_t)r * colonne + c] : 0.0f;
}

__global__ void __launch_bounds__(256)
traspostaPerMatrice(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float pezzoA[LATO][LATO];   // pezzoA[p][i]: riga p di A, colonna i
    __shared__ float pezzoB[LATO][LATO];   // pezzoB[p][j]: riga p di B, colonna j

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;

    const int primaRiga = blockIdx.y * LATO;      // prima riga di C del blocco
    const int primaCol  = blockIdx.x * LATO;      // prima colonna di C del blocco

    float somma = 0.0f;
    int resto = k;

    for (int p0 = 0; resto > 0; p0 += LATO, resto -= LATO) {
        // le letture sono contigue in tx per tutte e due le matrici
        pezzoA[ty][tx] = prendi(A, p0 + ty, primaRiga + tx, k, m);
        pezzoB[ty][tx] = prendi(B, p0 + ty, primaCol + tx, k, n);
        __syncthreads();

        #pragma unroll 8
        for (int p = 0; p < LATO; ++p)
            somma += pezzoA[ty][p] * pezzoB[p][tx];

        __syncthreads();
    }

    const int riga = primaRiga + ty;
    const int col  = primaCol + tx;
    if (riga < m && col < n)
        C[(size_t)riga * n + col] = somma;
}
