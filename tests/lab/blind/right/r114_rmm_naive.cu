// Reduced matrix multiplication (RMM), naive version
// A, B: N x N, C: N/2 x N/2 -- N has to be even
#include <stdio.h>
#include <stdlib.h>

#define THREADS 1024

__global__ void rmmNaive(const int *A, const int *B, int *C, int N)
{
    int half = N / 2;
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < half * half) {
        int i = id / half;
        int j = id % half;
        int sum = 0;
        for (int k = 0; k < N; k++) {
            sum += A[(2 * i) * N + k] * B[k * N + 2 * j];
            sum += A[(2 * i) * N + k] * B[k * N + 2 * j + 1];
            sum += A[(2 * i + 1) * N + k] * B[k * N + 2 * j];
            sum += A[(2 * i + 1) * N + k] * B[k * N + 2 * j + 1];
        }
        C[i * half + j] = sum;
    }
}

void reference(const int *A, const int *B, int *C, int N)
{
    for (int i = 0; i < N; i += 2)
        for (int j = 0; j < N; j += 2) {
            int sum = 0;
            for (int k = 0; k < N; k++)
                sum += (A[i * N + k] + A[(i + 1) * N + k]) * (B[k * N + j] + B[k * N + j + 1]);
            C[(i >> 1) * (N >> 1) + (j >> 1)] = sum;
        }
}

int main()
{
    int N = 98;
    int half = N / 2;
    int *A = (int*)malloc(N * N * sizeof(int));
    int *B = (int*)malloc(N * N * sizeof(int));
    int *C = (int*)malloc(half * half * sizeof(int));
    int *D = (int*)malloc(half * half * sizeof(int));
    for (int i = 0; i < N * N; i++) { A[i] = rand() % 100; B[i] = rand() % 100; }

    int *dA, *dB, *dC;
    cudaMalloc((void**)&dA, N * N * sizeof(int));
    cudaMalloc((void**)&dB, N * N * sizeof(int));
    cudaMalloc((void**)&dC, half * half * sizeof(int));
    cudaMemcpy(dA, A, N * N * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, N * N * sizeof(int), cudaMemcpyHostToDevice);

    int blocks = (half * half + THREADS - 1) / THREADS;
    rmmNaive<<<blocks, THREADS>>>(dA, dB, dC, N);
    cudaMemcpy(C, dC, half * half * sizeof(int), cudaMemcpyDeviceToHost);

    reference(A, B, D, N);
    for (int i = 0; i < half * half; i++)
        if (C[i] != D[i]) { printf("Mismatch at %d: %d %d\n", i, C[i], D[i]); return 1; }
    printf("Match\n");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C); free(D);
    return 0;
}
