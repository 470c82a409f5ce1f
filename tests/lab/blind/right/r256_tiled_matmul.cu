/*
 * Homework 3, part b: matrix multiplication with shared memory tiles.
 * C (m x n) = A (m x k) * B (k x n), everything row after row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define TW 16

#define CHECK(call)                                                     \
    do {                                                                \
        cudaError_t err_ = (call);                                      \
        if (err_ != cudaSuccess) {                                      \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,          \
                    cudaGetErrorString(err_));                          \
            exit(EXIT_FAILURE);                                         \
        }                                                               \
    } while (0)

__global__ void matmul(const float *A, const float *B, float *C,
                       int m, int k, int n)
{
    __shared__ float sA[TW][TW];
    __shared__ float sB[TW][TW];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TW + ty;
    int col = blockIdx.x * TW + tx;
    float sum = 0.0f;
    int t, i;

    for (t = 0; t < (k + TW - 1) / TW; t++) {
        int ac = t * TW + tx;
        int br = t * TW + ty;

        if (row < m && ac < k)
            sA[ty][tx] = A[(size_t)row * k + ac];
        else
            sA[ty][tx] = 0.0f;

        if (br < k && col < n)
            sB[ty][tx] = B[(size_t)br * n + col];
        else
            sB[ty][tx] = 0.0f;

        __syncthreads();
        for (i = 0; i < TW; i++)
            sum += sA[ty][i] * sB[i][tx];
        __syncthreads();
    }

    if (row < m && col < n)
        C[(size_t)row * n + col] = sum;
}

int main(void)
{
    const int m = 243, k = 117, n = 310;
    size_t szA = (size_t)m * k * sizeof(float);
    size_t szB = (size_t)k * n * sizeof(float);
    size_t szC = (size_t)m * n * sizeof(float);
    float *hA = (float *)malloc(szA);
    float *hB = (float *)malloc(szB);
    float *hC = (float *)malloc(szC);
    float *dA, *dB, *dC;
    int i, j, p, bad = 0;

    for (i = 0; i < m * k; i++) hA[i] = (float)(i % 7) - 3.0f;
    for (i = 0; i < k * n; i++) hB[i] = (float)(i % 5) - 2.0f;

    CHECK(cudaMalloc((void **)&dA, szA));
    CHECK(cudaMalloc((void **)&dB, szB));
    CHECK(cudaMalloc((void **)&dC, szC));
    CHECK(cudaMemcpy(dA, hA, szA, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dB, hB, szB, cudaMemcpyHostToDevice));

    dim3 block(TW, TW);
    dim3 grid((n + TW - 1) / TW, (m + TW - 1) / TW);
    matmul<<<grid, block>>>(dA, dB, dC, m, k, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(hC, dC, szC, cudaMemcpyDeviceToHost));

    for (i = 0; i < m; i++)
        for (j = 0; j < n; j++) {
            float ref = 0.0f;
            for (p = 0; p < k; p++) ref += hA[i * k + p] * hB[p * n + j];
            if (fabsf(ref - hC[i * n + j]) > 1e-3f) bad++;
        }
    printf("%d wrong entries\n", bad);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return bad != 0;
}
