#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>

// y = A * x with a block per row
__global__ void rowTimesVector(const float* A, const float* x, float* y, int cols)
{
    __shared__ float s[64];
    const float* a = A + (size_t)blockIdx.x * cols;
    float v = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 64)
        v += a[c] * x[c];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int h = 32; h > 0; h >>= 1) {
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}

static void matvec(const float* A, const float* x, float* y, int rows, int cols)
{
    float *dA, *dx, *dy;
    cudaMalloc((void**)&dA, sizeof(float) * rows * cols);
    cudaMalloc((void**)&dx, sizeof(float) * cols);
    cudaMalloc((void**)&dy, sizeof(float) * rows);
    cudaMemcpy(dA, A, sizeof(float) * rows * cols, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, sizeof(float) * rows, cudaMemcpyHostToDevice);
    rowTimesVector<<<rows, 64>>>(dA, dx, dy, cols);
    cudaMemcpy(y, dy, sizeof(float) * rows, cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
}

int main(int argc, char** argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 120;
    int cols = argc > 2 ? atoi(argv[2]) : 200;
    float* A = (float*)malloc(sizeof(float) * rows * cols);
    float* x = (float*)malloc(sizeof(float) * cols);
    float* y = (float*)malloc(sizeof(float) * rows);
    for (int i = 0; i < rows * cols; ++i) A[i] = (float)(i % 17) / 17.0f;
    for (int i = 0; i < cols; ++i) x[i] = 1.0f + i % 3;
    matvec(A, x, y, rows, cols);

    int wrong = 0;
    for (int r = 0; r < rows; ++r) {
        double want = 0;
        for (int c = 0; c < cols; ++c) want += (double)A[r * cols + c] * x[c];
        if (!(fabs(want - y[r]) < 1e-3 * (1 + fabs(want)))) ++wrong;
    }
    printf("%s\n", wrong ? "FAILED" : "ok");
    free(A); free(x); free(y);
    return wrong != 0;
}
