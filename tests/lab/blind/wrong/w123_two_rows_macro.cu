#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define ROWS_PER_THREAD 2
#define IDX(r, c, ld) (r * ld + c)

/* every thread computes ROWS_PER_THREAD neighbouring elements of one column */
__global__ void matmul_rows(const float *A, const float *B, float *C,
                            int M, int K, int N)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS_PER_THREAD;

    if (col >= N)
        return;

    for (int r = 0; r < ROWS_PER_THREAD; r++) {
        if (row + r >= M)
            return;
        float sum = 0.0f;
        for (int k = 0; k < K; k++)
            sum += A[IDX(row + r, k, K)] * B[IDX(k, col, N)];
        C[IDX(row + r, col, N)] = sum;
    }
}

int main(void)
{
    const int M = 101, K = 64, N = 80;
    float *A = (float *)malloc(M * K * sizeof(float));
    float *B = (float *)malloc(K * N * sizeof(float));
    float *C = (float *)malloc(M * N * sizeof(float));
    int i, j, k, errors = 0;

    for (i = 0; i < M * K; i++) A[i] = (float)(rand() % 9);
    for (i = 0; i < K * N; i++) B[i] = (float)(rand() % 7);

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, M * K * sizeof(float));
    cudaMalloc((void **)&dB, K * N * sizeof(float));
    cudaMalloc((void **)&dC, M * N * sizeof(float));
    cudaMemcpy(dA, A, M * K * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * N * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(16, 8);
    dim3 grid((N + 15) / 16, (M + 8 * ROWS_PER_THREAD - 1) / (8 * ROWS_PER_THREAD));
    matmul_rows<<<grid, block>>>(dA, dB, dC, M, K, N);
    cudaMemcpy(C, dC, M * N * sizeof(float), cudaMemcpyDeviceToHost);

    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) {
            float s = 0.0f;
            for (k = 0; k < K; k++)
                s += A[i * K + k] * B[k * N + j];
            if (!(fabsf(s - C[i * N + j]) <= 1e-3f))
                errors++;
        }
    printf("%d errors\n", errors);

    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C);
    return errors != 0;
}
