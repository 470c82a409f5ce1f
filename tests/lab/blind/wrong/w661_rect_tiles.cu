// 矩阵乘法 C = A * B，矩形分块，行优先存储
// A: M x K, B: K x N，任意大小
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define TY 8      // 每个线程块的行数
#define TX 32     // 每个线程块的列数
#define TK 32     // K 方向的分块

__global__ void gemm_rect(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float sa[TY][TK];
    __shared__ float sb[TK][TX];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * TY + ty;
    int col = blockIdx.x * TX + tx;

    float value = 0.0f;
    int steps = (K + TK - 1) / TK;
    for (int s = 0; s < steps; s++) {
        // 每个线程读取 A 的一个元素
        if (row < M && s * TK + tx < K)
            sa[ty][tx] = A[row * K + s * TK + tx];
        else
            sa[ty][tx] = 0.0f;
        // 每个线程读取 B 的 TK / TY 个元素
        for (int r = ty; r < TK; r += TY) {
            if (s * TK + r < K && col < N)
                sb[r][tx] = B[(s * TK + r) * N + col];
            else
                sb[r][tx] = 0.0f;
        }
        __syncthreads();

        for (int k = 0; k < TK; k++)
            value += sa[ty][k] * sb[k][tx];
    }

    if (row < M && col < N)
        C[row * N + col] = value;
}

int main()
{
    int M = 260, N = 300, K = 410;
    float *hA = (float*)malloc(M * K * sizeof(float));
    float *hB = (float*)malloc(K * N * sizeof(float));
    float *hC = (float*)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) hA[i] = rand() / (float)RAND_MAX;
    for (int i = 0; i < K * N; i++) hB[i] = rand() / (float)RAND_MAX;

    float *dA, *dB, *dC;
    cudaMalloc((void**)&dA, M * K * sizeof(float));
    cudaMalloc((void**)&dB, K * N * sizeof(float));
    cudaMalloc((void**)&dC, M * N * sizeof(float));
    cudaMemcpy(dA, hA, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, K * N * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(TX, TY);
    dim3 grid((N + TX - 1) / TX, (M + TY - 1) / TY);
    gemm_rect<<<grid, block>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(hC, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    // 与 CPU 结果比较
    float maxErr = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float ref = 0;
            for (int k = 0; k < K; k++) ref += hA[i * K + k] * hB[k * N + j];
            maxErr = fmaxf(maxErr, fabsf(ref - hC[i * N + j]));
        }
    printf("最大误差 %f\n", maxErr);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return 0;
}
