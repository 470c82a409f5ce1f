// "Reduced" matrix multiplication:
//   C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A: M x K, B: K x N, C: M/2 x N/2. M and N even; K arbitrary.
// The pairs are added while the tile is filled, so the inner loop is an ordinary matmul.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TILE_WIDTH 16

__global__ void reducedMM(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ float Asum[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Bsum[TILE_WIDTH][TILE_WIDTH];

    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TILE_WIDTH + ty;
    int j = blockIdx.x * TILE_WIDTH + tx;
    int halfM = M / 2, halfN = N / 2;

    float acc = 0.0f;
    for (int p = 0; p < (K + TILE_WIDTH - 1) / TILE_WIDTH; p++) {
        int ka = p * TILE_WIDTH + tx;
        int kb = p * TILE_WIDTH + ty;
        if (i < halfM && ka < K)
            Asum[ty][tx] = A[(2 * i) * K + ka] + A[(2 * i + 1) * K + ka];
        else
            Asum[ty][tx] = 0.0f;
        if (j < halfN && kb < K)
            Bsum[ty][tx] = B[kb * N + 2 * j] + B[kb * N + 2 * j + 1];
        else
            Bsum[ty][tx] = 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE_WIDTH; k++)
            acc += Asum[ty][k] * Bsum[k][tx];
        __syncthreads();
    }
    if (i < halfM && j < halfN)
        C[i * halfN + j] = acc;
}

int main(int argc, char *argv[])
{
    int M = 74, K = 29, N = 58;
    if (argc > 3) { M = atoi(argv[1]); K = atoi(argv[2]); N = atoi(argv[3]); }
    if (M % 2 || N % 2) { fprintf(stderr, "M and N must be even\n"); return 2; }

    float *A = (float *)malloc(sizeof(float) * M * K);
    float *B = (float *)malloc(sizeof(float) * K * N);
    float *C = (float *)malloc(sizeof(float) * (M / 2) * (N / 2));
    for (int i = 0; i < M * K; i++) A[i] = (float)(rand() % 100) / 100.0f;
    for (int i = 0; i < K * N; i++) B[i] = (float)(rand() % 100) / 100.0f;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, sizeof(float) * M * K);
    cudaMalloc((void **)&dB, sizeof(float) * K * N);
    cudaMalloc((void **)&dC, sizeof(float) * (M / 2) * (N / 2));
    cudaMemcpy(dA, A, sizeof(float) * M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sizeof(float) * K * N, cudaMemcpyHostToDevice);

    dim3 threads(TILE_WIDTH, TILE_WIDTH);
    dim3 grid((N / 2 + TILE_WIDTH - 1) / TILE_WIDTH, (M / 2 + TILE_WIDTH - 1) / TILE_WIDTH);
    reducedMM<<<grid, threads>>>(dA, dB, dC, M, K, N);
    cudaMemcpy(C, dC, sizeof(float) * (M / 2) * (N / 2), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < M / 2; i++)
        for (int j = 0; j < N / 2; j++) {
            float s = 0;
            for (int k = 0; k < K; k++)
                s += (A[2 * i * K + k] + A[(2 * i + 1) * K + k]) * (B[k * N + 2 * j] + B[k * N + 2 * j + 1]);
            if (fabsf(s - C[i * (N / 2) + j]) > 1e-3f) bad++;
        }
    printf("%d wrong of %d\n", bad, (M / 2) * (N / 2));
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return bad ? 1 : 0;
}
