// Tiled matmul with register prefetch: the next tile is loaded into registers
// while the current one is used from shared memory.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define TILE 16
#define MIN_(a, b) ((a) < (b) ? (a) : (b))

__device__ float fetchA(const float* A, int r, int k, int M, int K)
{
    return (r < M && k < K) ? A[r * K + k] : 0.0f;
}

__device__ float fetchB(const float* B, int k, int c, int K, int N)
{
    return (k < K && c < N) ? B[k * N + c] : 0.0f;
}

__global__ void mm_prefetch(const float* A, const float* B, float* C, int M, int K, int N)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int r = blockIdx.y * TILE + ty;
    int c = blockIdx.x * TILE + tx;

    float regA = fetchA(A, r, tx, M, K);
    float regB = fetchB(B, ty, c, K, N);
    float sum = 0.0f;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        As[ty][tx] = regA;
        Bs[ty][tx] = regB;
        __syncthreads();

        // prefetch (gives 0 after the last tile)
        regA = fetchA(A, r, k0 + TILE + tx, M, K);
        regB = fetchB(B, k0 + TILE + ty, c, K, N);

        int len = MIN_(TILE, K - k0);
        for (int k = 0; k < len; k++)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }

    if (r < M && c < N) C[r * N + c] = sum;
}

int main()
{
    const int M = 181, K = 202, N = 93;
    float *A, *B, *C, *dA, *dB, *dC;
    cudaMallocHost((void**)&A, M * K * sizeof(float));
    cudaMallocHost((void**)&B, K * N * sizeof(float));
    cudaMallocHost((void**)&C, M * N * sizeof(float));
    for (int i = 0; i < M * K; i++) A[i] = 0.01f * (rand() % 100);
    for (int i = 0; i < K * N; i++) B[i] = 0.01f * (rand() % 100);
    cudaMalloc((void**)&dA, M * K * sizeof(float));
    cudaMalloc((void**)&dB, K * N * sizeof(float));
    cudaMalloc((void**)&dC, M * N * sizeof(float));

    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyAsync(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice, stream);
    mm_prefetch<<<dim3((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), dim3(TILE, TILE), 0, stream>>>(dA, dB, dC, M, K, N);
    cudaMemcpyAsync(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);

    int bad = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += (double)A[i * K + k] * B[k * N + j];
            if (!(fabs(s - C[i * N + j]) <= 1e-2)) bad = 1;
        }
    printf("%s\n", bad ? "BAD" : "OK");
    cudaFreeHost(A); cudaFreeHost(B); cudaFreeHost(C);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bad;
}
