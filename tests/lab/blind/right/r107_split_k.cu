#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define TILE 16
#define SPLITS 4

/* The inner dimension is cut into SPLITS parts (gridDim.z), every part adds its
 * contribution to C with an atomic. C must be cleared first. */
__global__ void matmul_splitk(const float *A, const float *B, float *C, int M, int N, int K, int chunk)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];

    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    int kBegin = blockIdx.z * chunk;
    int kEnd = min(kBegin + chunk, K);

    float part = 0.0f;
    for (int k0 = kBegin; k0 < kEnd; k0 += TILE) {
        As[threadIdx.y][threadIdx.x] = (row < M && k0 + threadIdx.x < kEnd) ? A[row * K + k0 + threadIdx.x] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = (k0 + threadIdx.y < kEnd && col < N) ? B[(k0 + threadIdx.y) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            part += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }

    if (row < M && col < N)
        atomicAdd(&C[row * N + col], part);
}

int main(void)
{
    int M = 40, N = 50, K = 1000;
    float *hA = (float *)malloc(M * K * sizeof(float));
    float *hB = (float *)malloc(K * N * sizeof(float));
    float *hC = (float *)malloc(M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) hA[i] = (float)rand() / RAND_MAX - 0.5f;
    for (int i = 0; i < K * N; i++) hB[i] = (float)rand() / RAND_MAX - 0.5f;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, M * K * sizeof(float));
    cudaMalloc((void **)&dB, K * N * sizeof(float));
    cudaMalloc((void **)&dC, M * N * sizeof(float));
    cudaMemcpy(dA, hA, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, K * N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(dC, 0, M * N * sizeof(float));

    int chunk = (K + SPLITS - 1) / SPLITS;
    dim3 block(TILE, TILE);
    dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE, SPLITS);
    matmul_splitk<<<grid, block>>>(dA, dB, dC, M, N, K, chunk);
    cudaMemcpy(hC, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    int errors = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += (double)hA[i * K + k] * hB[k * N + j];
            if (fabs(s - hC[i * N + j]) > 1e-3) errors++;
        }
    printf("%d errors\n", errors);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(hA); free(hB); free(hC);
    return errors ? 1 : 0;
}
