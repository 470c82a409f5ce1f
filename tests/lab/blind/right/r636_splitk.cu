// Produto C = A*B com divisão da dimensão K (split-K): cada fatia em blockIdx.z
// soma a sua parte em C com atomicAdd.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define LADO 16
#define FATIAS 6

__global__ void splitk(const float *A, const float *B, float *C, int m, int n, int k)
{
    __shared__ float a[LADO][LADO], b[LADO][LADO];
    int porFatia = (k + FATIAS - 1) / FATIAS;
    int ini = blockIdx.z * porFatia;
    int fim = min(ini + porFatia, k);
    int lin = blockIdx.y * LADO + threadIdx.y;
    int col = blockIdx.x * LADO + threadIdx.x;
    float soma = 0.0f;

    for (int q = ini; q < fim; q += LADO) {
        int ka = q + threadIdx.x;
        int kb = q + threadIdx.y;
        a[threadIdx.y][threadIdx.x] = (lin < m && ka < fim) ? A[lin * k + ka] : 0.0f;
        b[threadIdx.y][threadIdx.x] = (col < n && kb < fim) ? B[kb * n + col] : 0.0f;
        __syncthreads();
        for (int t = 0; t < LADO; t++)
            soma += a[threadIdx.y][t] * b[t][threadIdx.x];
        __syncthreads();
    }
    if (lin < m && col < n)
        atomicAdd(&C[lin * n + col], soma);
}

int main()
{
    const int m = 50, n = 70, k = 4001;
    size_t ba = sizeof(float) * m * k, bb = sizeof(float) * k * n, bc = sizeof(float) * m * n;
    float *A = (float *)malloc(ba), *B = (float *)malloc(bb), *C = (float *)malloc(bc);
    for (int i = 0; i < m * k; i++) A[i] = (float)(i % 5 - 2);
    for (int i = 0; i < k * n; i++) B[i] = (float)(i % 3);

    float *dA, *dB, *dC;
    cudaMalloc(&dA, ba);
    cudaMalloc(&dB, bb);
    cudaMalloc(&dC, bc);
    cudaMemcpy(dA, A, ba, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, bb, cudaMemcpyHostToDevice);
    cudaMemset(dC, 0, bc);

    dim3 bloco(LADO, LADO, 1);
    dim3 grade((n + LADO - 1) / LADO, (m + LADO - 1) / LADO, FATIAS);
    splitk<<<grade, bloco>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C, dC, bc, cudaMemcpyDeviceToHost);

    int erros = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0.0;
            for (int p = 0; p < k; p++) s += (double)A[i * k + p] * B[p * n + j];
            if (fabs(s - C[i * n + j]) > 1e-2) erros++;
        }
    printf("erros: %d\n", erros);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return erros != 0;
}
