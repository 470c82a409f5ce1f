// C = A * B^T      A: m x k     B: n x k     C: m x n
// As duas matrizes sao lidas por linhas, por isso as leituras sao coalescidas.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

enum { LADO = 16 };

__global__ void vezesTransposta(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float blocoA[LADO][LADO + 1];
    __shared__ float blocoB[LADO][LADO + 1];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int linhaA = blockIdx.y * LADO + ty;
    int linhaB = blockIdx.x * LADO + ty;   // linha de B usada na carga
    int colunaC = blockIdx.x * LADO + tx;

    float soma = 0.f;
    for (int inicio = 0; inicio < k; inicio += LADO) {
        int c = inicio + tx;
        if (c < k && linhaA < m) blocoA[ty][tx] = A[linhaA * k + c];
        else                     blocoA[ty][tx] = 0.f;
        if (c < k && linhaB < n) blocoB[ty][tx] = B[linhaB * k + c];
        else                     blocoB[ty][tx] = 0.f;
        __syncthreads();
        for (int p = 0; p < LADO; p++)
            soma += blocoA[ty][p] * blocoB[tx][p];
        __syncthreads();
    }
    if (linhaA < m && colunaC < n)
        C[linhaA * n + colunaC] = soma;
}

static void preencher(float *v, int total)
{
    for (int i = 0; i < total; i++)
        v[i] = (float)rand() / RAND_MAX - 0.5f;
}

int main(void)
{
    int m = 65, n = 50, k = 121;
    float *A, *B, *C;
    // memoria unificada: mais simples para este exercicio
    if (cudaMallocManaged(&A, m * k * sizeof(float)) != cudaSuccess ||
        cudaMallocManaged(&B, n * k * sizeof(float)) != cudaSuccess ||
        cudaMallocManaged(&C, m * n * sizeof(float)) != cudaSuccess) {
        printf("sem memoria: FAILED\n");
        return 1;
    }
    srand(2024);
    preencher(A, m * k);
    preencher(B, n * k);

    dim3 threads(LADO, LADO);
    dim3 grade((n + LADO - 1) / LADO, (m + LADO - 1) / LADO);
    vezesTransposta<<<grade, threads>>>(A, B, C, m, n, k);
    cudaError_t erro = cudaDeviceSynchronize();
    if (erro != cudaSuccess) {
        printf("%s: FAILED\n", cudaGetErrorString(erro));
        return 1;
    }

    float pior = 0.f;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double certo = 0;
            for (int p = 0; p < k; p++)
                certo += (double)A[i * k + p] * B[j * k + p];
            float d = (float)fabs(certo - C[i * n + j]);
            if (d > pior) pior = d;
        }
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    int ok = pior < 1e-4f;
    puts(ok ? "A * B^T: OK" : "A * B^T: FAILED");
    return ok ? 0 : 1;
}
