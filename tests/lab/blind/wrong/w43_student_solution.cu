#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define BS 32

__global__ void naiveMul(const float *A, const float *B, float *C, int M, int N, int K)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < N && y < M) {
        float sum = 0.0f;
        for (int i = 0; i < K; i++) {
            sum += A[y * K + i] * B[i * N + x];
        }
        C[y * N + x] = sum;
    }
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        printf("Usage: %s M N K\n", argv[0]);
        return -1;
    }
    const int M = atoi(argv[1]);
    const int N = atoi(argv[2]);
    const int K = atoi(argv[3]);

    float *A = (float *)malloc(M * K * sizeof(float));
    float *B = (float *)malloc(K * N * sizeof(float));
    float *C = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = i % 3 + 1;
    for (int i = 0; i < K * N; i++) B[i] = i % 5 + 1;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, M * K * sizeof(float));
    cudaMalloc((void **)&dB, K * N * sizeof(float));
    cudaMalloc((void **)&dC, M * N * sizeof(float));
    cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(BS, BS);
    dim3 grid(N / BS, M / BS);
    naiveMul<<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    int correct = 1;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            if (C[i * N + j] != s) correct = 0;
        }
    printf("correct: %d\n", correct);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
