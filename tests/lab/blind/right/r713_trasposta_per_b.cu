// C = A^T * B
// A: K x M (per righe), B: K x N (per righe), C: M x N (per righe)
// Serve per le equazioni normali: qui M e N piccoli, K grande, ma funziona sempre.
#include <cuda_runtime.h>

#define LATO 16

// il +1 evita i conflitti di banco quando leggiamo per colonne
__global__ void prodottoTrasposta(const float *A, const float *B, float *C,
                                  int M, int N, int K)
{
    __shared__ float pezzoA[LATO][LATO + 1];   // pezzoA[m][k]
    __shared__ float pezzoB[LATO][LATO + 1];   // pezzoB[k][n]

    int inizioRiga = blockIdx.y * LATO;
    int inizioCol  = blockIdx.x * LATO;
    int riga = inizioRiga + threadIdx.y;
    int col  = inizioCol + threadIdx.x;

    float somma = 0.0f;
    int passi = (K + LATO - 1) / LATO;

    for (int p = 0; p < passi; p++) {
        int k = p * LATO + threadIdx.y;

        // lettura contigua: threadIdx.x scorre sulle colonne di A (cioe' righe di A^T)
        int m = inizioRiga + threadIdx.x;
        if (k < K && m < M)
            pezzoA[threadIdx.x][threadIdx.y] = A[k * M + m];
        else
            pezzoA[threadIdx.x][threadIdx.y] = 0.0f;

        if (k < K && col < N)
            pezzoB[threadIdx.y][threadIdx.x] = B[k * N + col];
        else
            pezzoB[threadIdx.y][threadIdx.x] = 0.0f;

        __syncthreads();

        for (int l = 0; l < LATO; l++)
            somma += pezzoA[threadIdx.y][l] * pezzoB[l][threadIdx.x];

        __syncthreads();
    }

    if (riga < M && col < N)
        C[riga * N + col] = somma;
}

// A, B, C sono puntatori host
void atb(const float *A, const float *B, float *C, int M, int N, int K)
{
    float *dA, *dB, *dC;
    size_t bytesA = sizeof(float) * K * M;
    size_t bytesB = sizeof(float) * K * N;
    size_t bytesC = sizeof(float) * M * N;

    cudaMalloc((void **)&dA, bytesA);
    cudaMalloc((void **)&dB, bytesB);
    cudaMalloc((void **)&dC, bytesC);
    cudaMemcpy(dA, A, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, bytesB, cudaMemcpyHostToDevice);

    dim3 blocco(LATO, LATO);
    dim3 griglia((N + LATO - 1) / LATO, (M + LATO - 1) / LATO);
    prodottoTrasposta<<<griglia, blocco>>>(dA, dB, dC, M, N, K);

    cudaMemcpy(C, dC, bytesC, cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
}
