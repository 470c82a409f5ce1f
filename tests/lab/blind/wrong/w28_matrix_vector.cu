#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define NTHREADS 256
#define CHUNK 128

// y = A * x, one thread per row; x goes through shared memory piece by piece
__global__ void matVec(const float *A, const float *x, float *y, int rows, int cols)
{
    __shared__ float xs[CHUNK];
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float dot = 0.0f;

    for (int c0 = 0; c0 < cols; c0 += NTHREADS) {
        if (c0 + threadIdx.x < cols)
            xs[threadIdx.x] = x[c0 + threadIdx.x];
        else
            xs[threadIdx.x] = 0.0f;
        __syncthreads();

        if (row < rows) {
            for (int c = 0; c < NTHREADS && c0 + c < cols; c++)
                dot += A[row * cols + c0 + c] * xs[c];
        }
        __syncthreads();
    }
    if (row < rows)
        y[row] = dot;
}

int main(int argc, char **argv)
{
    int rows = argc > 2 ? atoi(argv[1]) : 2000;
    int cols = argc > 2 ? atoi(argv[2]) : 1500;
    std::vector<float> A(rows * cols), x(cols), y(rows);
    for (int i = 0; i < rows * cols; i++) A[i] = i % 10;
    for (int i = 0; i < cols; i++) x[i] = i % 3;

    float *dA, *dx, *dy;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dy, y.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);

    matVec<<<(rows + NTHREADS - 1) / NTHREADS, NTHREADS>>>(dA, dx, dy, rows, cols);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);

    for (int i = 0; i < rows; i++) {
        float s = 0;
        for (int j = 0; j < cols; j++) s += A[i * cols + j] * x[j];
        if (s != y[i]) {
            printf("row %d: %f instead of %f\n", i, y[i], s);
            return 1;
        }
    }
    printf("matvec ok\n");
    cudaFree(dA);
    cudaFree(dx);
    cudaFree(dy);
    return 0;
}
