// column-major GEMM with leading dimensions (like cublasSgemm, no transposition)
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BS 8

__global__ void gemm_cm(int m, int n, int k,
                        float alpha, const float *A, int lda,
                        const float *B, int ldb,
                        float beta, float *C, int ldc)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= m || j >= n)
        return;

    float dot = 0.0f;
    for (int l = 0; l < k; l++)
        dot += A[i + l * lda] * B[l + j * lda];

    C[i + j * ldc] = alpha * dot + beta * C[i + j * ldc];
}

static void fill(float *p, int count)
{
    for (int i = 0; i < count; i++) p[i] = (float)(rand() % 20) / 10.0f;
}

int main()
{
    int m = 40, n = 30, k = 50;
    int lda = m, ldb = k, ldc = m;
    float alpha = 2.0f, beta = 1.0f;

    float *A = (float*)malloc(lda * k * sizeof(float));
    float *B = (float*)malloc(ldb * n * sizeof(float));
    float *C = (float*)malloc(ldc * n * sizeof(float));
    float *R = (float*)malloc(ldc * n * sizeof(float));
    fill(A, lda * k); fill(B, ldb * n); fill(C, ldc * n);

    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float s = 0;
            for (int l = 0; l < k; l++) s += A[i + l * lda] * B[l + j * ldb];
            R[i + j * ldc] = alpha * s + beta * C[i + j * ldc];
        }

    float *dA, *dB, *dC;
    cudaMalloc(&dA, lda * k * sizeof(float));
    cudaMalloc(&dB, ldb * n * sizeof(float));
    cudaMalloc(&dC, ldc * n * sizeof(float));
    cudaMemcpy(dA, A, lda * k * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, ldb * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C, ldc * n * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(BS, BS);
    dim3 grid((m + BS - 1) / BS, (n + BS - 1) / BS);
    gemm_cm<<<grid, threads>>>(m, n, k, alpha, dA, lda, dB, ldb, beta, dC, ldc);
    cudaMemcpy(C, dC, ldc * n * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < ldc * n; i++)
        if (fabsf(C[i] - R[i]) > 1e-2f) bad++;
    printf("%s\n", bad ? "WRONG" : "RIGHT");
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C); free(R);
    return bad != 0;
}
