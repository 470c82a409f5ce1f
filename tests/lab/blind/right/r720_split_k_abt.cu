// C = A * B^T,  A: M x K (шаг строки lda), B: N x K (шаг строки ldb), C: M x N (плотно)
// Ядро 1 считает частичные суммы по кускам K, ядро 2 складывает куски.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define AT(p, i, j, ld) ((p)[(size_t)(i) * (ld) + (j)])
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

__global__ void partial_abt(const double *A, int lda, const double *B, int ldb,
                            double *W, int M, int N, int K, int chunk)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int s = blockIdx.z;
    if (i < M && j < N) {
        int k_end = (s + 1) * chunk < K ? (s + 1) * chunk : K;
        double sum = 0.0;
        for (int k = s * chunk; k < k_end; k++)
            sum += AT(A, i, k, lda) * AT(B, j, k, ldb);
        W[(size_t)s * M * N + (size_t)i * N + j] = sum;
    }
}

__global__ void add_parts(const double *W, double *C, int count, int parts)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= count)
        return;
    double sum = 0.0;
    for (int s = 0; s < parts; s++)
        sum += W[(size_t)s * count + e];
    C[e] = sum;
}

int main(void)
{
    const int M = 37, N = 51, K = 1000, lda = 1024, ldb = 1008, parts = 7;
    const int chunk = CEIL_DIV(K, parts);
    int i, j, k;

    double *A = (double *)calloc((size_t)M * lda, sizeof(double));
    double *B = (double *)calloc((size_t)N * ldb, sizeof(double));
    double *C = (double *)malloc(sizeof(double) * M * N);
    for (i = 0; i < M; i++)
        for (k = 0; k < K; k++) AT(A, i, k, lda) = sin(i + 0.1 * k);
    for (j = 0; j < N; j++)
        for (k = 0; k < K; k++) AT(B, j, k, ldb) = cos(j - 0.2 * k);

    double *dA, *dB, *dW, *dC;
    cudaMalloc((void **)&dA, sizeof(double) * M * lda);
    cudaMalloc((void **)&dB, sizeof(double) * N * ldb);
    cudaMalloc((void **)&dW, sizeof(double) * parts * M * N);
    cudaMalloc((void **)&dC, sizeof(double) * M * N);
    cudaMemcpy(dA, A, sizeof(double) * M * lda, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, sizeof(double) * N * ldb, cudaMemcpyHostToDevice);

    dim3 block(16, 8);
    dim3 grid(CEIL_DIV(N, 16), CEIL_DIV(M, 8), parts);
    partial_abt<<<grid, block>>>(dA, lda, dB, ldb, dW, M, N, K, chunk);
    add_parts<<<CEIL_DIV(M * N, 256), 256>>>(dW, dC, M * N, parts);
    cudaMemcpy(C, dC, sizeof(double) * M * N, cudaMemcpyDeviceToHost);

    double err = 0.0;
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) {
            double ref = 0.0;
            for (k = 0; k < K; k++) ref += AT(A, i, k, lda) * AT(B, j, k, ldb);
            err = fmax(err, fabs(ref - C[i * N + j]));
        }
    printf("максимальная ошибка: %g\n", err);

    cudaFree(dA); cudaFree(dB); cudaFree(dW); cudaFree(dC);
    free(A); free(B); free(C);
    return 0;
}
