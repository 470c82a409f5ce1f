// Assignment 1: plain matrix multiplication on the GPU
// Every thread computes exactly one element of C.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CHECK(call)                                                       \
    do {                                                                  \
        cudaError_t err_ = (call);                                        \
        if (err_ != cudaSuccess) {                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,            \
                    cudaGetErrorString(err_));                            \
            exit(EXIT_FAILURE);                                           \
        }                                                                 \
    } while (0)

__global__ void matmul(const float *A, const float *B, float *C, int M, int K, int N)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row >= M || col >= N)
        return;

    float sum = 0.0f;
    for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
}

static void matmul_cpu(const float *A, const float *B, float *C, int M, int K, int N)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0.0f;
            for (int k = 0; k < K; k++)
                s += A[i * K + k] * B[k * N + j];
            C[i * N + j] = s;
        }
}

int main(int argc, char **argv)
{
    int M = argc > 1 ? atoi(argv[1]) : 311;
    int K = argc > 2 ? atoi(argv[2]) : 127;
    int N = argc > 3 ? atoi(argv[3]) : 205;

    size_t szA = (size_t)M * K * sizeof(float);
    size_t szB = (size_t)K * N * sizeof(float);
    size_t szC = (size_t)M * N * sizeof(float);

    float *hA = (float *)malloc(szA);
    float *hB = (float *)malloc(szB);
    float *hC = (float *)malloc(szC);
    float *ref = (float *)malloc(szC);
    for (int i = 0; i < M * K; i++) hA[i] = (float)(rand() % 100) / 100.0f;
    for (int i = 0; i < K * N; i++) hB[i] = (float)(rand() % 100) / 100.0f;

    float *dA, *dB, *dC;
    CHECK(cudaMalloc(&dA, szA));
    CHECK(cudaMalloc(&dB, szB));
    CHECK(cudaMalloc(&dC, szC));
    CHECK(cudaMemcpy(dA, hA, szA, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dB, hB, szB, cudaMemcpyHostToDevice));

    dim3 block(16, 16);
    dim3 grid((N + block.x - 1) / block.x, (M + block.y - 1) / block.y);
    matmul<<<grid, block>>>(dA, dB, dC, M, K, N);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(hC, dC, szC, cudaMemcpyDeviceToHost));

    matmul_cpu(hA, hB, ref, M, K, N);
    int bad = 0;
    for (int i = 0; i < M * N; i++)
        if (fabsf(hC[i] - ref[i]) > 1e-3f * (1.0f + fabsf(ref[i]))) bad++;
    printf("%s (%d differences)\n", bad ? "FAILED" : "PASSED", bad);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC); free(ref);
    return bad != 0;
}
