#include <iostream>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define NT 192

// y = A x: one block per row, the block reduces the products of its row
__global__ void rowReduction(const float *A, const float *x, float *y, int cols)
{
    __shared__ float part[NT];
    const float *row = A + (size_t)blockIdx.x * cols;

    float sum = 0.0f;
    for (int j = threadIdx.x; j < cols; j += NT)
        sum += row[j] * x[j];
    part[threadIdx.x] = sum;
    __syncthreads();

    for (int s = NT / 2; s > 0; s = s / 2) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        y[blockIdx.x] = part[0];
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 500;
    int cols = argc > 2 ? atoi(argv[2]) : 3000;
    float *A = new float[rows * cols];
    float *x = new float[cols];
    float *y = new float[rows];
    for (int i = 0; i < rows * cols; i++) A[i] = i % 8;
    for (int i = 0; i < cols; i++) x[i] = i % 3 + 1;

    float *dA, *dx, *dy;
    cudaMalloc(&dA, rows * cols * sizeof(float));
    cudaMalloc(&dx, cols * sizeof(float));
    cudaMalloc(&dy, rows * sizeof(float));
    cudaMemcpy(dA, A, rows * cols * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, cols * sizeof(float), cudaMemcpyHostToDevice);

    rowReduction<<<rows, NT>>>(dA, dx, dy, cols);
    cudaMemcpy(y, dy, rows * sizeof(float), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int i = 0; i < rows; i++) {
        double ref = 0;
        for (int j = 0; j < cols; j++) ref += A[i * cols + j] * x[j];
        if (std::fabs(ref - y[i]) > 1e-4 * ref) wrong++;
    }
    std::cout << wrong << " wrong rows\n";
    cudaFree(dA); cudaFree(dx); cudaFree(dy);
    delete[] A; delete[] x; delete[] y;
    return 0;
}
