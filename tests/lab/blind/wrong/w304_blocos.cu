// Trabalho prático 3 - multiplicação com blocos
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TAM 16
#define ERRO(c) if ((c) != cudaSuccess) { fprintf(stderr, "erro na linha %d\n", __LINE__); return 1; }

__global__ void multBlocos(const float *A, const float *B, float *C, int M, int K, int N) {
    __shared__ float bA[TAM][TAM];
    __shared__ float bB[TAM][TAM];
    int tx = threadIdx.x, ty = threadIdx.y;
    int lin = blockIdx.y * TAM + ty;
    int col = blockIdx.x * TAM + tx;
    float s = 0;

    for (int f = 0; f < (K + TAM - 1) / TAM; f++) {
        // carrega A
        if (lin < M && f * TAM + tx < N)
            bA[ty][tx] = A[lin * K + f * TAM + tx];
        else
            bA[ty][tx] = 0;
        // carrega B
        if (f * TAM + ty < K && col < N)
            bB[ty][tx] = B[(f * TAM + ty) * N + col];
        else
            bB[ty][tx] = 0;
        __syncthreads();

        for (int k = 0; k < TAM; k++)
            s += bA[ty][k] * bB[k][tx];
        __syncthreads();
    }

    if (lin < M && col < N)
        C[lin * N + col] = s;
}

int main() {
    int M = 70, K = 220, N = 130;
    float *A = (float *)malloc(M * K * sizeof(float));
    float *B = (float *)malloc(K * N * sizeof(float));
    float *C = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = rand() / (float)RAND_MAX;
    for (int i = 0; i < K * N; i++) B[i] = rand() / (float)RAND_MAX;

    float *dA, *dB, *dC;
    ERRO(cudaMalloc(&dA, M * K * sizeof(float)));
    ERRO(cudaMalloc(&dB, K * N * sizeof(float)));
    ERRO(cudaMalloc(&dC, M * N * sizeof(float)));
    ERRO(cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice));
    ERRO(cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice));

    dim3 threads(TAM, TAM);
    dim3 blocos((N + TAM - 1) / TAM, (M + TAM - 1) / TAM);
    multBlocos<<<blocos, threads>>>(dA, dB, dC, M, K, N);
    ERRO(cudaGetLastError());
    ERRO(cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost));

    double maior = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double r = 0;
            for (int k = 0; k < K; k++) r += A[i * K + k] * B[k * N + j];
            if (fabs(r - C[i * N + j]) > maior) maior = fabs(r - C[i * N + j]);
        }
    printf("maior erro: %g\n", maior);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
