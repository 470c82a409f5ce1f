// Trabalho 3 - multiplicação de matrizes com blocos de UMA dimensão.
// Cada bloco tem 256 threads e calcula ladrilhos 16x16 de C; a grade também é
// 1D e tem sempre NUM_BLOCOS blocos, por isso cada bloco percorre vários ladrilhos.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

const int LADO = 16;
const int NUM_BLOCOS = 40;

__global__ void multiplica(const float* A, const float* B, float* C, int m, int n, int p)
{
    // A: m x n   B: n x p   C: m x p
    __shared__ float sA[LADO * LADO];
    __shared__ float sB[LADO * LADO];

    int lin = threadIdx.x / LADO;
    int col = threadIdx.x % LADO;
    int ladrilhosX = (p + LADO - 1) / LADO;
    int ladrilhosY = (m + LADO - 1) / LADO;
    int total = ladrilhosX * ladrilhosY;

    for (int l = blockIdx.x; l < total; l += gridDim.x) {
        int i = (l / ladrilhosX) * LADO + lin;
        int j = (l % ladrilhosX) * LADO + col;
        float soma = 0.0f;                        // zera para cada ladrilho

        for (int k0 = 0; k0 < n; k0 += LADO) {
            if (i < m && k0 + col < n) sA[threadIdx.x] = A[i * n + k0 + col];
            else                       sA[threadIdx.x] = 0.0f;
            if (k0 + lin < n && j < p) sB[threadIdx.x] = B[(k0 + lin) * p + j];
            else                       sB[threadIdx.x] = 0.0f;
            __syncthreads();
            for (int k = 0; k < LADO; k++)
                soma += sA[lin * LADO + k] * sB[k * LADO + col];
            __syncthreads();
        }
        if (i < m && j < p) C[i * p + j] = soma;
    }
}

void preenche(float* v, int n)
{
    for (int i = 0; i < n; i++) v[i] = (float)rand() / RAND_MAX - 0.5f;
}

int main(int argc, char** argv)
{
    int m = 200, n = 90, p = 310;
    if (argc == 4) { m = atoi(argv[1]); n = atoi(argv[2]); p = atoi(argv[3]); }
    if (m <= 0 || n <= 0 || p <= 0 || m > 20000 || n > 20000 || p > 20000) { puts("dimensões inválidas"); return 1; }

    float* A = new float[m * n];
    float* B = new float[n * p];
    float* C = new float[m * p];
    preenche(A, m * n);
    preenche(B, n * p);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, sizeof(float) * m * n);
    cudaMalloc(&dB, sizeof(float) * n * p);
    cudaMalloc(&dC, sizeof(float) * m * p);
    cudaMemcpy(dA, A, sizeof(float) * m * n, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sizeof(float) * n * p, cudaMemcpyHostToDevice);
    multiplica<<<NUM_BLOCOS, LADO * LADO>>>(dA, dB, dC, m, n, p);
    cudaDeviceSynchronize();
    cudaMemcpy(C, dC, sizeof(float) * m * p, cudaMemcpyDeviceToHost);

    double pior = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < p; j++) {
            double s = 0;
            for (int k = 0; k < n; k++) s += (double)A[i * n + k] * B[k * p + j];
            if (fabs(s - C[i * p + j]) > pior) pior = fabs(s - C[i * p + j]);
        }
    printf("pior erro = %g -> %s\n", pior, pior < 1e-3 ? "OK" : "ERRO");

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    delete[] A; delete[] B; delete[] C;
}
