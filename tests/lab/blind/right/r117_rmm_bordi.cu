// Prodotto ridotto di matrici con tessere e controllo dei bordi
//   A: righe x p (righe pari), B: p x colonne (colonne pari)
//   C: righe/2 x colonne/2
#include <cuda_runtime.h>

template <int LATO>
__global__ void prodottoRidotto(const double* A, const double* B, double* C,
                                int righe, int p, int colonne)
{
    __shared__ double sa[LATO][LATO];
    __shared__ double sb[LATO][LATO];

    const int mr = righe / 2, mc = colonne / 2;
    const int x = threadIdx.x, y = threadIdx.y;
    const int i = blockIdx.y * LATO + y;
    const int j = blockIdx.x * LATO + x;

    double somma = 0.0;
    const int giri = (p + LATO - 1) / LATO;
    for (int g = 0; g < giri; g++) {
        const int ka = g * LATO + x;
        const int kb = g * LATO + y;

        double va = 0.0, vb = 0.0;
        if (i < mr && ka < p) {
            va = A[(size_t)(2 * i) * p + ka];
            va += A[(size_t)(2 * i + 1) * p + ka];
        }
        if (j < mc && kb < p) {
            vb = B[(size_t)kb * colonne + 2 * j];
            vb += B[(size_t)kb * colonne + 2 * j + 1];
        }
        sa[y][x] = va;
        sb[y][x] = vb;
        __syncthreads();

        for (int k = 0; k < LATO; k++)
            somma += sa[y][k] * sb[k][x];
        __syncthreads();
    }

    if (i < mr && j < mc)
        C[i * mc + j] = somma;
}

void lancia(const double* dA, const double* dB, double* dC, int righe, int p, int colonne)
{
    const int LATO = 8;
    dim3 blocco(LATO, LATO);
    dim3 griglia((colonne / 2 + LATO - 1) / LATO, (righe / 2 + LATO - 1) / LATO);
    prodottoRidotto<LATO><<<griglia, blocco>>>(dA, dB, dC, righe, p, colonne);
}
