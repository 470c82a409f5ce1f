/* sgemm like in BLAS (no transposes): C = alpha * A * B + beta * C
 * column-major storage with leading dimensions lda, ldb, ldc
 */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define NB 16

__global__ void my_sgemm(int m, int n, int k, float alpha,
                         const float *A, int lda,
                         const float *B, int ldb,
                         float beta, float *C, int ldc)
{
    __shared__ float sA[NB][NB + 1];
    __shared__ float sB[NB][NB + 1];

    /* x is the row here, so that column-major accesses are coalesced */
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.x * NB + tx;
    int col = blockIdx.y * NB + ty;
    float sum = 0.0f;

    for (int p0 = 0; p0 < k; p0 += NB) {
        int pa = p0 + ty;
        int pb = p0 + tx;
        sA[ty][tx] = (row < m && pa < k) ? A[row + pa * lda] : 0.0f;   /* sA[p][row] */
        sB[ty][tx] = (pb < k && col < n) ? B[pb + col * ldb] : 0.0f;   /* sB[col][p] */
        __syncthreads();
        for (int p = 0; p < NB; p++)
            sum += sA[p][tx] * sB[ty][p];
        __syncthreads();
    }

    if (row < m && col < n) {
        float *dst = &C[row + col * ldc];
        *dst = alpha * sum + beta * (*dst);
    }
}

int main(void)
{
    const int m = 99, n = 120, k = 85;
    const int lda = 104, ldb = 88, ldc = 101;
    const float alpha = 1.5f, beta = -0.5f;
    size_t sa = (size_t)lda * k, sb = (size_t)ldb * n, sc = (size_t)ldc * n;
    float *A = (float*)malloc(sa * sizeof(float));
    float *B = (float*)malloc(sb * sizeof(float));
    float *C = (float*)malloc(sc * sizeof(float));
    float *R = (float*)malloc(sc * sizeof(float));
    for (size_t i = 0; i < sa; i++) A[i] = (float)(i % 23) / 23.0f;
    for (size_t i = 0; i < sb; i++) B[i] = (float)(i % 31) / 31.0f;
    for (size_t i = 0; i < sc; i++) C[i] = (float)(i % 5);

    float *dA, *dB, *dC;
    cudaMalloc((void**)&dA, sa * sizeof(float));
    cudaMalloc((void**)&dB, sb * sizeof(float));
    cudaMalloc((void**)&dC, sc * sizeof(float));
    cudaMemcpy(dA, A, sa * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sb * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C, sc * sizeof(float), cudaMemcpyHostToDevice);

    dim3 threads(NB, NB);
    dim3 blocks((m + NB - 1) / NB, (n + NB - 1) / NB);
    my_sgemm<<<blocks, threads>>>(m, n, k, alpha, dA, lda, dB, ldb, beta, dC, ldc);
    cudaMemcpy(R, dC, sc * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float s = 0;
            for (int p = 0; p < k; p++) s += A[i + p * lda] * B[p + j * ldb];
            s = alpha * s + beta * C[i + j * ldc];
            if (!(fabsf(s - R[i + j * ldc]) <= 1e-3f)) bad++;
        }
    printf("%s\n", bad ? "BAD" : "OK");
    free(A); free(B); free(C); free(R);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return bad != 0;
}
