// y = alpha * A^T x + beta * y,  A is rows x cols, row-major.
// A block handles 32 columns; its 8 thread rows walk down the matrix rows.
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

#define BX 32
#define BY 8

__global__ void gemv_t(int rows, int cols, float alpha, const float *A,
                       const float *x, float beta, float *y)
{
    __shared__ float red[BY][BX];
    int c = blockIdx.x * BX + threadIdx.x;
    float s = 0.0f;

    if (c < cols) {
        for (int r = threadIdx.y; r < rows; r += BY)
            s += A[(size_t)r * cols + c] * x[r];
    }
    red[threadIdx.y][threadIdx.x] = s;
    __syncthreads();

    if (threadIdx.y == 0 && c < cols) {
        float t = 0.0f;
        for (int q = 0; q < BY; ++q)
            t += red[q][threadIdx.x];
        /* beta == 0 means that y need not be set on entry */
        y[c] = (beta == 0.0f) ? alpha * t : alpha * t + beta * y[c];
    }
}

int main(int argc, char **argv)
{
    int rows = (argc > 2) ? atoi(argv[1]) : 600;
    int cols = (argc > 2) ? atoi(argv[2]) : 333;
    if (rows <= 0 || cols <= 0) return 2;
    float alpha = 2.0f, beta = 0.5f;
    size_t na = (size_t)rows * cols;

    float *A = (float *)malloc(na * sizeof(float));
    float *x = (float *)malloc(rows * sizeof(float));
    float *y = (float *)malloc(cols * sizeof(float));
    float *out = (float *)malloc(cols * sizeof(float));
    for (size_t i = 0; i < na; ++i) A[i] = (float)(rand() % 10) / 10.0f;
    for (int i = 0; i < rows; ++i) x[i] = (float)(rand() % 10) / 10.0f;
    for (int i = 0; i < cols; ++i) y[i] = (float)i;

    float *dA, *dx, *dy;
    cudaMalloc((void **)&dA, na * sizeof(float));
    cudaMalloc((void **)&dx, rows * sizeof(float));
    cudaMalloc((void **)&dy, cols * sizeof(float));
    cudaMemcpy(dA, A, na * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, rows * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, cols * sizeof(float), cudaMemcpyHostToDevice);

    gemv_t<<<(cols + BX - 1) / BX, dim3(BX, BY)>>>(rows, cols, alpha, dA, dx, beta, dy);
    cudaMemcpy(out, dy, cols * sizeof(float), cudaMemcpyDeviceToHost);

    double worst = 0.0;
    for (int c = 0; c < cols; ++c) {
        double s = 0.0;
        for (int r = 0; r < rows; ++r) s += (double)A[(size_t)r * cols + c] * x[r];
        double want = alpha * s + beta * y[c];
        double e = fabs(want - out[c]) / (1.0 + fabs(want));
        if (e > worst) worst = e;
    }
    printf("relative error %.3g\n", worst);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    free(A); free(x); free(y); free(out);
    return worst > 1e-4;
}
