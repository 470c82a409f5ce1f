#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define WARPS 8

// C = A * B^T with A: M x K and B: N x K. One warp computes one element of C.
__global__ void warpNT(const float *A, const float *B, float *C, int M, int N, int K)
{
    int lane = threadIdx.x & 31;
    int w = blockIdx.x * WARPS + (threadIdx.x >> 5);
    if (w >= M * N)
        return;
    int i = w / N;
    int j = w % N;

    float s = 0.0f;
    for (int k = lane; k < K; k += 32)
        s += A[i * K + k] * B[j * N + k];

    for (int d = 16; d >= 1; d >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, d);

    if (lane == 0)
        C[i * N + j] = s;
}

int main(int argc, char **argv)
{
    int M = 100, N = 80, K = 500;
    if (argc == 4) {
        M = atoi(argv[1]);
        N = atoi(argv[2]);
        K = atoi(argv[3]);
    }
    float *hA = (float *)malloc(M * K * sizeof(float));
    float *hB = (float *)malloc(N * K * sizeof(float));
    float *hC = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) hA[i] = sinf(i);
    for (int i = 0; i < N * K; i++) hB[i] = cosf(i);

    float *A, *B, *C;
    cudaMalloc((void **)&A, M * K * sizeof(float));
    cudaMalloc((void **)&B, N * K * sizeof(float));
    cudaMalloc((void **)&C, M * N * sizeof(float));
    cudaMemcpy(A, hA, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(B, hB, N * K * sizeof(float), cudaMemcpyHostToDevice);
    warpNT<<<(M * N + WARPS - 1) / WARPS, WARPS * 32>>>(A, B, C, M, N, K);
    cudaMemcpy(hC, C, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    float worst = 0.0f;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0.0f;
            for (int k = 0; k < K; k++) s += hA[i * K + k] * hB[j * K + k];
            worst = fmaxf(worst, fabsf(s - hC[i * N + j]));
        }
    printf("%s\n", worst < 1e-2f ? "OK" : "too large a difference");
    cudaFree(A); cudaFree(B); cudaFree(C);
    free(hA); free(hB); free(hC);
    return 0;
}
