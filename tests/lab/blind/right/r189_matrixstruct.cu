#include <cuda_runtime.h>
#include <cstdio>

struct Matrix {
    int width;
    int height;
    int stride;
    float* elements;
};

const int BLOCK = 16;

__device__ float getElement(const Matrix m, int row, int col)
{
    if (row < m.height && col < m.width)
        return m.elements[row * m.stride + col];
    return 0.0f;
}

__device__ void setElement(Matrix m, int row, int col, float v)
{
    if (row < m.height && col < m.width)
        m.elements[row * m.stride + col] = v;
}

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C)
{
    int row = threadIdx.y, col = threadIdx.x;
    int gRow = blockIdx.y * BLOCK + row;
    int gCol = blockIdx.x * BLOCK + col;
    float Cvalue = 0.0f;

    __shared__ float As[BLOCK][BLOCK];
    __shared__ float Bs[BLOCK][BLOCK];

    int steps = (A.width + BLOCK - 1) / BLOCK;
    for (int s = 0; s < steps; ++s) {
        As[row][col] = getElement(A, gRow, s * BLOCK + col);
        Bs[row][col] = getElement(B, s * BLOCK + row, gCol);
        __syncthreads();
        for (int e = 0; e < BLOCK; ++e)
            Cvalue += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    setElement(C, gRow, gCol, Cvalue);
}

static Matrix newMatrix(int h, int w, int stride)
{
    Matrix m;
    m.width = w; m.height = h; m.stride = stride;
    cudaMallocManaged(&m.elements, sizeof(float) * h * stride);
    for (int i = 0; i < h * stride; ++i) m.elements[i] = (float)(i % 6);
    return m;
}

int main()
{
    Matrix A = newMatrix(37, 29, 32);
    Matrix B = newMatrix(29, 44, 48);
    Matrix C = newMatrix(37, 44, 44);
    dim3 dimBlock(BLOCK, BLOCK);
    dim3 dimGrid((C.width + BLOCK - 1) / BLOCK, (C.height + BLOCK - 1) / BLOCK);
    MatMulKernel<<<dimGrid, dimBlock>>>(A, B, C);
    cudaDeviceSynchronize();
    printf("%f\n", C.elements[36 * 44 + 43]);
    return 0;
}
