// Trabalho 5: C = A * B^T com inteiros
// A: M x K, B: N x K, C: M x N (por linhas). Tamanhos livres.
#include <stdio.h>
#include <stdlib.h>

#define LADO 16

// elemento (l, c) de uma matriz com L linhas e Q colunas
__device__ int elemento(const int *p, int l, int c, int L, int Q)
{
    return p[min(l, L - 1) * Q + min(c, Q - 1)];
}

__global__ void mult_abt(const int *A, const int *B, int *C, int M, int N, int K)
{
    __shared__ int ladrA[LADO][LADO + 1];
    __shared__ int ladrB[LADO][LADO + 1];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int linha = blockIdx.y * LADO + ty;
    int coluna = blockIdx.x * LADO + tx;
    int linhaB = blockIdx.x * LADO + ty;

    int soma = 0;
    int passos = (K + LADO - 1) / LADO;
    for (int p = 0; p < passos; p++) {
        ladrA[ty][tx] = elemento(A, linha, p * LADO + tx, M, K);
        ladrB[ty][tx] = elemento(B, linhaB, p * LADO + tx, N, K);
        __syncthreads();
        for (int k = 0; k < LADO; k++)
            soma += ladrA[ty][k] * ladrB[tx][k];
        __syncthreads();
    }

    if (linha < M && coluna < N)
        C[linha * N + coluna] = soma;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        printf("uso: %s M N K\n", argv[0]);
        return 1;
    }
    int M = atoi(argv[1]), N = atoi(argv[2]), K = atoi(argv[3]);
    int *A = (int *)malloc(M * K * sizeof(int));
    int *B = (int *)malloc(N * K * sizeof(int));
    int *C = (int *)malloc(M * N * sizeof(int));
    for (int i = 0; i < M * K; i++) A[i] = 1 + i % 9;
    for (int i = 0; i < N * K; i++) B[i] = 1 + i % 4;

    int *dA, *dB, *dC;
    cudaMalloc(&dA, M * K * sizeof(int));
    cudaMalloc(&dB, N * K * sizeof(int));
    cudaMalloc(&dC, M * N * sizeof(int));
    cudaMemcpy(dA, A, M * K * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, N * K * sizeof(int), cudaMemcpyHostToDevice);

    dim3 bloco(LADO, LADO);
    dim3 grade((N + LADO - 1) / LADO, (M + LADO - 1) / LADO);
    mult_abt<<<grade, bloco>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C, dC, M * N * sizeof(int), cudaMemcpyDeviceToHost);

    int erros = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[j * K + k];
            if (s != C[i * N + j]) erros++;
        }
    printf("%d erros\n", erros);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
