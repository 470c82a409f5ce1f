// Matrix-vector product y = A x
// A has `rows` rows and `cols` columns, row-major
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

__global__ void matvec(float *y, const float *A, const float *x, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float dot = 0.0f;
        for (int k = 0; k < cols; k++)
            dot += A[k * rows + r] * x[k];
        y[r] = dot;
    }
}

static void fill(float *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = (float)rand() / RAND_MAX;
}

int main(void)
{
    int rows = 300, cols = 170;
    float *A = (float *)malloc(rows * cols * sizeof(float));
    float *x = (float *)malloc(cols * sizeof(float));
    float *y = (float *)malloc(rows * sizeof(float));
    fill(A, rows * cols);
    fill(x, cols);

    float *dA, *dx, *dy;
    cudaMalloc(&dA, rows * cols * sizeof(float));
    cudaMalloc(&dx, cols * sizeof(float));
    cudaMalloc(&dy, rows * sizeof(float));
    cudaMemcpy(dA, A, rows * cols * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, cols * sizeof(float), cudaMemcpyHostToDevice);

    int tpb = 128;
    matvec<<<(rows + tpb - 1) / tpb, tpb>>>(dy, dA, dx, rows, cols);
    cudaMemcpy(y, dy, rows * sizeof(float), cudaMemcpyDeviceToHost);

    float maxdiff = 0.0f;
    for (int r = 0; r < rows; r++) {
        float s = 0.0f;
        for (int k = 0; k < cols; k++)
            s += A[r * cols + k] * x[k];
        maxdiff = fmaxf(maxdiff, fabsf(s - y[r]));
    }
    printf("max diff = %e\n", maxdiff);
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    free(A); free(x); free(y);
    return 0;
}
