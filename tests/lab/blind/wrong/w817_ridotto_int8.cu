// Prodotto ridotto con matrici di int8 e risultato int32.
//   A: righe m (pari), colonne k; B: righe k, colonne n (pari); C: m/2 x n/2
//   valori di A e B: tutto l'intervallo -128 .. 127; m, n, k fino a 8192
#include <cstdint>
#include <cuda_runtime.h>

namespace ridotto {

constexpr int BLOCCO = 16;

__global__ void calcola(const int8_t *A, const int8_t *B, int32_t *C, int m, int n, int k)
{
    __shared__ int8_t sommaA[BLOCCO][BLOCCO], sommaB[BLOCCO][BLOCCO];

    const int colonna = blockIdx.x * BLOCCO + threadIdx.x;
    const int riga    = blockIdx.y * BLOCCO + threadIdx.y;
    const bool rigaOk = riga < m / 2;
    const bool colOk  = colonna < n / 2;

    const int8_t *a = A + 2 * riga * k;
    int32_t tot = 0;

    for (int passo = 0; passo < k; passo += BLOCCO) {
        const int ka = passo + threadIdx.x;
        const int kb = passo + threadIdx.y;

        sommaA[threadIdx.y][threadIdx.x] = (rigaOk && ka < k) ? a[ka] + a[ka + k] : 0;
        sommaB[threadIdx.y][threadIdx.x] =
            (colOk && kb < k) ? B[kb * n + 2 * colonna] + B[kb * n + 2 * colonna + 1] : 0;
        __syncthreads();

        for (int l = 0; l < BLOCCO; ++l)
            tot += sommaA[threadIdx.y][l] * sommaB[l][threadIdx.x];
        __syncthreads();
    }

    if (rigaOk && colOk)
        C[riga * (n / 2) + colonna] = tot;
}

void avvia(const int8_t *A, const int8_t *B, int32_t *C, int m, int n, int k)
{
    dim3 thread(BLOCCO, BLOCCO);
    dim3 griglia((n / 2 + BLOCCO - 1) / BLOCCO, (m / 2 + BLOCCO - 1) / BLOCCO);
    calcola<<<griglia, thread>>>(A, B, C, m, n, k);
}

}  // namespace ridotto
