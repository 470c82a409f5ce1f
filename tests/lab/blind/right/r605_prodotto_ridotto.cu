// Esercitazione: prodotto "ridotto"
// D = A*B  (M x K per K x N),  C[i][j] = somma del quadrato 2x2 di D
// equivale a (coppie di righe di A sommate) * (coppie di colonne di B sommate)
// M e N devono essere pari; K qualsiasi (indici int: meno di 2^31 elementi).
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void ridotto(const int *A, const int *B, int *C, int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;   // colonna di C
    int i = blockIdx.y * blockDim.y + threadIdx.y;   // riga di C

    int righe   = M / 2;
    int colonne = N / 2;
    if (i >= righe || j >= colonne)
        return;

    const int *riga0 = A + (2 * i) * K;
    const int *riga1 = riga0 + K;

    int somma = 0;
    for (int k = 0; k < K; k++) {
        int a = riga0[k] + riga1[k];
        int b = B[k * N + 2 * j] + B[k * N + 2 * j + 1];
        somma += a * b;
    }
    C[i * colonne + j] = somma;
}

static void riempi(int *v, int n, int modulo)
{
    for (int i = 0; i < n; i++)
        v[i] = rand() % modulo - modulo / 2;
}

int main(void)
{
    int M = 90, N = 134, K = 51;
    size_t byteA = (size_t)M * K * sizeof(int);
    size_t byteB = (size_t)K * N * sizeof(int);
    size_t byteC = (size_t)(M / 2) * (N / 2) * sizeof(int);

    int *A = (int *)malloc(byteA), *B = (int *)malloc(byteB), *C = (int *)malloc(byteC);
    riempi(A, M * K, 9);
    riempi(B, K * N, 11);

    int *dA, *dB, *dC;
    cudaMalloc(&dA, byteA);
    cudaMalloc(&dB, byteB);
    cudaMalloc(&dC, byteC);
    cudaMemcpy(dA, A, byteA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, byteB, cudaMemcpyHostToDevice);

    dim3 fili(32, 4);
    dim3 griglia((N / 2 + fili.x - 1) / fili.x, (M / 2 + fili.y - 1) / fili.y);
    ridotto<<<griglia, fili>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C, dC, byteC, cudaMemcpyDeviceToHost);

    // verifica con la definizione
    int errori = 0;
    for (int i = 0; i < M / 2; i++)
        for (int j = 0; j < N / 2; j++) {
            int s = 0;
            for (int p = 0; p < 2; p++)
                for (int q = 0; q < 2; q++)
                    for (int k = 0; k < K; k++)
                        s += A[(2 * i + p) * K + k] * B[k * N + 2 * j + q];
            if (s != C[i * (N / 2) + j]) errori++;
        }
    printf("errori: %d\n", errori);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
