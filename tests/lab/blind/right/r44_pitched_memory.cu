// cudaMallocPitch / cudaMemcpy2D version, pitch in BYTES like the runtime gives it
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define BLK 16

__device__ __forceinline__ const float* rowPtr(const float* base, size_t pitch, int r)
{
    return (const float*)((const char*)base + r * pitch);
}

__global__ void matMulPitch(const float* A, size_t pitchA, const float* B, size_t pitchB,
                            float* C, size_t pitchC, int M, int N, int K)
{
    __shared__ float As[BLK][BLK];
    __shared__ float Bs[BLK][BLK];
    const int col = blockIdx.x * BLK + threadIdx.x;
    const int row = blockIdx.y * BLK + threadIdx.y;
    float sum = 0.0f;

    for (int t = 0; t < (K + BLK - 1) / BLK; ++t) {
        const int ka = t * BLK + threadIdx.x;
        const int kb = t * BLK + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = (row < M && ka < K) ? rowPtr(A, pitchA, row)[ka] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = (kb < K && col < N) ? rowPtr(B, pitchB, kb)[col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < BLK; ++k)
            sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) {
        float* c = (float*)((char*)C + row * pitchC);
        c[col] = sum;
    }
}

int main(void)
{
    const int M = 83, N = 141, K = 59;
    float* A = (float*)malloc(M * K * sizeof(float));
    float* B = (float*)malloc(K * N * sizeof(float));
    float* C = (float*)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = (float)((i * 37) % 101) / 101.f;
    for (int i = 0; i < K * N; i++) B[i] = (float)((i * 53) % 97) / 97.f;

    float *dA, *dB, *dC;
    size_t pA, pB, pC;
    cudaMallocPitch((void**)&dA, &pA, K * sizeof(float), M);
    cudaMallocPitch((void**)&dB, &pB, N * sizeof(float), K);
    cudaMallocPitch((void**)&dC, &pC, N * sizeof(float), M);
    cudaMemcpy2D(dA, pA, A, K * sizeof(float), K * sizeof(float), M, cudaMemcpyHostToDevice);
    cudaMemcpy2D(dB, pB, B, N * sizeof(float), N * sizeof(float), K, cudaMemcpyHostToDevice);

    dim3 threads(BLK, BLK, 1);
    dim3 blocks((N - 1) / BLK + 1, (M - 1) / BLK + 1, 1);
    matMulPitch<<<blocks, threads>>>(dA, pA, dB, pB, dC, pC, M, N, K);
    cudaMemcpy2D(C, N * sizeof(float), dC, pC, N * sizeof(float), M, cudaMemcpyDeviceToHost);

    int nbad = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            if (!(fabsf(s - C[i * N + j]) <= 1e-3f)) nbad++;
        }
    printf("%s\n", nbad ? "BAD" : "OK");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return nbad ? 1 : 0;
}
