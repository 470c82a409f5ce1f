// Умножение матрицы на вектор: y = alpha * A * x + beta * y
// A: m x n, хранится по столбцам, ведущая размерность lda >= m
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

__global__ void umnozhit(int m, int n, double alpha, const double *A, int lda,
                         const double *x, double beta, double *y)
{
    int stroka = blockIdx.x * blockDim.x + threadIdx.x;
    if (stroka >= m) return;

    double s = 0.0;
    for (int stolbec = 0; stolbec < n; stolbec++)
        s += A[(size_t)stroka * lda + stolbec] * x[stolbec];

    y[stroka] = alpha * s + beta * y[stroka];
}

int main()
{
    const int m = 600, n = 350, lda = 640;
    std::vector<double> A((size_t)lda * n, 0.0), x(n), y(m), y0(m);
    for (int j = 0; j < n; j++) {
        x[j] = cos(0.1 * j);
        for (int i = 0; i < m; i++) A[i + (size_t)j * lda] = sin(0.01 * i + 0.3 * j);
    }
    for (int i = 0; i < m; i++) y0[i] = 0.001 * i;

    double *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dx, n * sizeof(double));
    cudaMalloc(&dy, m * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y0.data(), m * sizeof(double), cudaMemcpyHostToDevice);

    umnozhit<<<(m + 127) / 128, 128>>>(m, n, 1.5, dA, lda, dx, -0.5, dy);
    cudaMemcpy(y.data(), dy, m * sizeof(double), cudaMemcpyDeviceToHost);

    double err = 0;
    for (int i = 0; i < m; i++) {
        double s = 0;
        for (int j = 0; j < n; j++) s += A[i + (size_t)j * lda] * x[j];   // проверка на CPU
        err = fmax(err, fabs(1.5 * s - 0.5 * y0[i] - y[i]));
    }
    printf("ошибка %g\n", err);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    return err > 1e-9;
}
