/* Practica 4: producto reducido.
 *   C[i][j] = (A[2i] + A[2i+1]) . (B[:,2j] + B[:,2j+1])
 * A: 2m x p, B: p x 2n, C: m x n, todas por filas.  m, n, p cualesquiera >= 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

__global__ void reducido(const int *A, const int *B, int *C, int m, int n, int p)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < m * n) {
        int i = id / n;
        int j = id % n;
        const int *f0 = A + (2 * i) * p;
        const int *f1 = f0 + p;
        int total = 0;
        for (int k = 0; k < p; k++) {
            const int *b = B + k * (2 * n) + 2 * j;
            total += (f0[k] + f1[k]) * (b[0] + b[1]);
        }
        C[id] = total;
    }
}

static void enCPU(const int *A, const int *B, int *C, int m, int n, int p)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int s = 0;
            for (int k = 0; k < p; k++) {
                int a = A[(2 * i) * p + k] + A[(2 * i + 1) * p + k];
                int b = B[k * 2 * n + 2 * j] + B[k * 2 * n + 2 * j + 1];
                s += a * b;
            }
            C[i * n + j] = s;
        }
}

int main(void)
{
    const int m = 45, n = 61, p = 100;
    size_t bytesA = sizeof(int) * 2 * m * p;
    size_t bytesB = sizeof(int) * p * 2 * n;
    size_t bytesC = sizeof(int) * m * n;
    int *A = (int *)malloc(bytesA), *B = (int *)malloc(bytesB);
    int *C = (int *)malloc(bytesC), *R = (int *)malloc(bytesC);
    for (int i = 0; i < 2 * m * p; i++) A[i] = rand() % 21 - 10;
    for (int i = 0; i < 2 * n * p; i++) B[i] = rand() % 21 - 10;

    int *dA, *dB, *dC;
    cudaMalloc(&dA, bytesA);
    cudaMalloc(&dB, bytesB);
    cudaMalloc(&dC, bytesC);
    cudaMemcpy(dA, A, bytesA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, bytesB, cudaMemcpyHostToDevice);

    int hilos = 128;
    reducido<<<(m * n + hilos - 1) / hilos, hilos>>>(dA, dB, dC, m, n, p);
    cudaError_t err = cudaMemcpy(C, dC, bytesC, cudaMemcpyDeviceToHost);
    if (err != cudaSuccess) {
        printf("CUDA: %s\n", cudaGetErrorString(err));
        return 1;
    }

    enCPU(A, B, R, m, n, p);
    int malos = 0;
    for (int i = 0; i < m * n; i++)
        if (C[i] != R[i]) malos++;
    printf("%d elementos distintos\n", malos);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C); free(R);
    return malos != 0;
}
