#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define THREADS 128

/* One block per element of C: the threads share the work along the inner dimension. */
__global__ void elementPerBlock(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float part[THREADS];
    int row = blockIdx.y;
    int col = blockIdx.x;
    int tid = threadIdx.x;

    float p = 0.0f;
    for (int k = tid; k < K; k += THREADS)
        p += A[row * K + k] * B[k * N + col];
    part[tid] = p;
    __syncthreads();

    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s) {
            part[tid] += part[tid + s];
            __syncthreads();
        }
    }

    if (tid == 0)
        C[row * N + col] = part[0];
}

int main(int argc, char **argv)
{
    int M = 64, N = 48, K = 1000;
    if (argc == 4) {
        M = atoi(argv[1]);
        N = atoi(argv[2]);
        K = atoi(argv[3]);
    }
    float *A = (float *)malloc(M * K * sizeof(float));
    float *B = (float *)malloc(K * N * sizeof(float));
    float *C = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = (i % 13) * 0.5f;
    for (int i = 0; i < K * N; i++) B[i] = (i % 11) * 0.25f;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, M * K * sizeof(float));
    cudaMalloc((void **)&dB, K * N * sizeof(float));
    cudaMalloc((void **)&dC, M * N * sizeof(float));
    cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice);
    dim3 grid(N, M);
    elementPerBlock<<<grid, THREADS>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    int ok = 1;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            if (fabs(s - C[i * N + j]) > 1e-3 * (1 + fabs(s))) ok = 0;
        }
    printf("%s\n", ok ? "SUCCESS" : "FAILURE");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
