/* Esercitazione 6 - prodotto di matrici con doppio buffer
 *
 * M, N e K devono essere multipli positivi di 32 (controllato con assert).
 * Ogni blocco ha 32x8 thread e calcola una tessera 32x32: quattro righe per thread.
 */
#include <cassert>
#include <cuda_runtime.h>

const int LATO  = 32;
const int RIGHE = 8;
const int PER_THREAD = LATO / RIGHE;
const int TESSERA = LATO * LATO;

/* copia una tessera 32x32 di una matrice con "ld" colonne */
__device__ inline void copiaTessera(float *dest, const float *src, int ld)
{
    for (int r = threadIdx.y; r < LATO; r += RIGHE)
        dest[r * LATO + threadIdx.x] = src[(size_t)r * ld + threadIdx.x];
}

__global__ void prodottoDoppioBuffer(const float *A, const float *B, float *C,
                                     int M, int N, int K)
{
    extern __shared__ float memoria[];
    float *bufA = memoria;                 // 2 tessere
    float *bufB = memoria + 2 * TESSERA;   // 2 tessere

    const float *inizioA = A + (size_t)blockIdx.y * LATO * K;
    const float *inizioB = B + (size_t)blockIdx.x * LATO;

    float somma[PER_THREAD];
    for (int q = 0; q < PER_THREAD; q++) somma[q] = 0.0f;

    int corrente = 0;
    copiaTessera(bufA, inizioA, K);
    copiaTessera(bufB, inizioB, N);
    __syncthreads();

    for (int k0 = 0; k0 < K; k0 += LATO) {
        int prossimo = corrente ^ 1;
        if (k0 + LATO < K) {
            copiaTessera(bufA + prossimo * TESSERA, inizioA + (k0 + LATO), K);
            copiaTessera(bufB + prossimo * TESSERA, inizioB + (size_t)(k0 + LATO) * N, N);
        }

        const float *a = bufA + corrente * TESSERA;
        const float *b = bufB + corrente * TESSERA;
        for (int t = 0; t < LATO; t++) {
            float bv = b[t * LATO + threadIdx.x];
            for (int q = 0; q < PER_THREAD; q++)
                somma[q] += a[(threadIdx.y + q * RIGHE) * LATO + t] * bv;
        }
        /* una sola barriera: il buffer appena letto si riscrive solo al giro dopo */
        __syncthreads();
        corrente = prossimo;
    }

    for (int q = 0; q < PER_THREAD; q++) {
        size_t riga = (size_t)blockIdx.y * LATO + threadIdx.y + q * RIGHE;
        C[riga * N + blockIdx.x * LATO + threadIdx.x] = somma[q];
    }
}

/* puntatori del device */
cudaError_t prodotto(const float *dA, const float *dB, float *dC,
                     int M, int N, int K, cudaStream_t flusso)
{
    assert(M > 0 && N > 0 && K > 0);
    assert(M % LATO == 0 && N % LATO == 0 && K % LATO == 0);

    dim3 thread(LATO, RIGHE);
    dim3 griglia(N / LATO, M / LATO);
    size_t byteCondivisi = 4 * TESSERA * sizeof(float);   // 16 KB
    prodottoDoppioBuffer<<<griglia, thread, byteCondivisi, flusso>>>(dA, dB, dC, M, N, K);
    return cudaGetLastError();
}
