// Matrices as structs, C = A * B
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

struct Matrix {
    int rows;
    int cols;
    int stride;
    float *data;
};

__global__ void mulKernel(Matrix a, Matrix b, Matrix c)
{
    int col = threadIdx.x + blockIdx.x * blockDim.x;
    int row = threadIdx.y + blockIdx.y * blockDim.y;
    if (row >= c.rows || col >= c.cols)
        return;

    float value = 0.f;
    for (int e = 0; e < a.cols; ++e)
        value += a.data[row * b.stride + e] * b.data[e * b.stride + col];
    c.data[row * c.stride + col] = value;
}

static Matrix toDevice(const Matrix &h)
{
    Matrix d = h;
    size_t bytes = sizeof(float) * h.rows * h.stride;
    cudaMalloc((void **)&d.data, bytes);
    cudaMemcpy(d.data, h.data, bytes, cudaMemcpyHostToDevice);
    return d;
}

static Matrix makeMatrix(int rows, int cols)
{
    Matrix m;
    m.rows = rows;
    m.cols = cols;
    m.stride = cols;
    m.data = (float *)malloc(sizeof(float) * rows * cols);
    for (int i = 0; i < rows * cols; ++i)
        m.data[i] = (float)(rand() % 100) / 50.f - 1.f;
    return m;
}

int main()
{
    Matrix A = makeMatrix(96, 40);
    Matrix B = makeMatrix(40, 72);
    Matrix C = makeMatrix(96, 72);

    Matrix dA = toDevice(A), dB = toDevice(B), dC = toDevice(C);

    dim3 block(8, 8);
    dim3 grid((C.cols + block.x - 1) / block.x, (C.rows + block.y - 1) / block.y);
    mulKernel<<<grid, block>>>(dA, dB, dC);
    cudaMemcpy(C.data, dC.data, sizeof(float) * C.rows * C.stride, cudaMemcpyDeviceToHost);

    float worst = 0.f;
    for (int i = 0; i < C.rows; ++i)
        for (int j = 0; j < C.cols; ++j) {
            float s = 0.f;
            for (int k = 0; k < A.cols; ++k)
                s += A.data[i * A.stride + k] * B.data[k * B.stride + j];
            worst = fmaxf(worst, fabsf(s - C.data[i * C.stride + j]));
        }
    printf("max error: %g\n", worst);
    cudaFree(dA.data); cudaFree(dB.data); cudaFree(dC.data);
    free(A.data); free(B.data); free(C.data);
    return 0;
}
