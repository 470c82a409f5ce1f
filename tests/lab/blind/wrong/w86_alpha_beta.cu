// C = alpha * A * B + beta * C with leading dimensions (row-major)
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define BW 16
#define BH 4

template <typename real>
__global__ void gemm(int m, int n, int k, real alpha,
                     const real *A, int lda, const real *B, int ldb,
                     real beta, real *C, int ldc)
{
    const int i = blockIdx.y * BH + threadIdx.y;
    const int j = blockIdx.x * BW + threadIdx.x;
    if (i >= m || j >= n)
        return;

    real acc = 0;
    for (int l = 0; l < k; ++l)
        acc += A[i * lda + l] * B[l * ldb + j];

    C[i * ldc + j] = alpha * (acc + beta * C[i * ldc + j]);
}

int main()
{
    const int m = 45, n = 61, k = 38;
    const int lda = 40, ldb = 64, ldc = 64;
    const double alpha = 2.0, beta = 0.5;

    double *A = (double *)calloc(m * lda, sizeof(double));
    double *B = (double *)calloc(k * ldb, sizeof(double));
    double *C = (double *)calloc(m * ldc, sizeof(double));
    double *R = (double *)calloc(m * ldc, sizeof(double));
    for (int i = 0; i < m * lda; ++i) A[i] = (i % 7) - 3;
    for (int i = 0; i < k * ldb; ++i) B[i] = (i % 9) - 4;
    for (int i = 0; i < m * ldc; ++i) C[i] = (i % 5) + 1;

    double *dA, *dB, *dC;
    cudaMalloc(&dA, m * lda * sizeof(double));
    cudaMalloc(&dB, k * ldb * sizeof(double));
    cudaMalloc(&dC, m * ldc * sizeof(double));
    cudaMemcpy(dA, A, m * lda * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, k * ldb * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dC, C, m * ldc * sizeof(double), cudaMemcpyHostToDevice);

    dim3 block(BW, BH);
    dim3 grid((n + BW - 1) / BW, (m + BH - 1) / BH);
    gemm<double><<<grid, block>>>(m, n, k, alpha, dA, lda, dB, ldb, beta, dC, ldc);
    cudaMemcpy(R, dC, m * ldc * sizeof(double), cudaMemcpyDeviceToHost);

    double err = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double s = 0;
            for (int l = 0; l < k; ++l) s += A[i * lda + l] * B[l * ldb + j];
            err = fmax(err, fabs(alpha * s + beta * C[i * ldc + j] - R[i * ldc + j]));
        }
    printf("max error: %g\n", err);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    free(A); free(B); free(C); free(R);
    return 0;
}
