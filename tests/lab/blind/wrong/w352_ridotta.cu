// Esercizio 9 - moltiplicazione ridotta
// R ha M/2 righe e N/2 colonne (M e N pari), memorizzata per righe senza buchi:
// R[i][j] = somma dei quattro elementi di A*B nel quadrato (2i,2j) .. (2i+1,2j+1)
// A: M x K, B: K x N, per righe.

#define P 16

__global__ void ridotta(const float *A, const float *B, float *R, int M, int N, int K)
{
    // coppie di righe di A e coppie di colonne di B gia' sommate
    __shared__ float sa[P][P];
    __shared__ float sb[P][P];

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * P + ty;      // riga di R
    int j = blockIdx.x * P + tx;      // colonna di R

    float somma = 0.f;
    for (int t = 0; t < (K + P - 1) / P; ++t) {
        int ka = t * P + tx;
        int kb = t * P + ty;
        sa[ty][tx] = 0.f;
        sb[ty][tx] = 0.f;
        if (i < M / 2 && ka < K)
            sa[ty][tx] = A[(2 * i) * K + ka] + A[(2 * i + 1) * K + ka];
        if (j < N / 2 && kb < K)
            sb[ty][tx] = B[kb * N + 2 * j] + B[kb * N + 2 * j + 1];
        __syncthreads();

        for (int k = 0; k < P; ++k)
            somma += sa[ty][k] * sb[k][tx];
        __syncthreads();
    }

    if (i < M / 2 && j < N / 2)
        R[i * N + j] = somma;
}

/* Lancio:
     dim3 blocco(P, P);
     dim3 griglia((N / 2 + P - 1) / P, (M / 2 + P - 1) / P);
     ridotta<<<griglia, blocco>>>(dA, dB, dR, M, N, K);
*/
