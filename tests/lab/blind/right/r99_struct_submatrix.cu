// Matrices as structs with a stride, in the manner of the programming guide.
// All dimensions must be multiples of BLOCK_SIZE.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOCK_SIZE 16

typedef struct {
    int width;
    int height;
    int stride;
    float* elements;
} Matrix;

__device__ float GetElement(const Matrix A, int row, int col)
{
    return A.elements[row * A.stride + col];
}

__device__ void SetElement(Matrix A, int row, int col, float value)
{
    A.elements[row * A.stride + col] = value;
}

__device__ Matrix GetSubMatrix(Matrix A, int row, int col)
{
    Matrix Asub;
    Asub.width = BLOCK_SIZE;
    Asub.height = BLOCK_SIZE;
    Asub.stride = A.stride;
    Asub.elements = &A.elements[A.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
    return Asub;
}

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C)
{
    int blockRow = blockIdx.y;
    int blockCol = blockIdx.x;
    Matrix Csub = GetSubMatrix(C, blockRow, blockCol);

    float Cvalue = 0;
    int row = threadIdx.y;
    int col = threadIdx.x;

    for (int m = 0; m < (A.width / BLOCK_SIZE); ++m) {
        Matrix Asub = GetSubMatrix(A, blockRow, m);
        Matrix Bsub = GetSubMatrix(B, m, blockCol);

        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[row][col] = GetElement(Asub, row, col);
        Bs[row][col] = GetElement(Bsub, row, col);
        __syncthreads();

        for (int e = 0; e < BLOCK_SIZE; ++e)
            Cvalue += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    SetElement(Csub, row, col, Cvalue);
}

Matrix toDevice(const Matrix h, int copy)
{
    Matrix d;
    d.width = d.stride = h.width;
    d.height = h.height;
    size_t size = (size_t)h.width * h.height * sizeof(float);
    cudaMalloc((void**)&d.elements, size);
    if (copy) cudaMemcpy(d.elements, h.elements, size, cudaMemcpyHostToDevice);
    return d;
}

void MatMul(const Matrix A, const Matrix B, Matrix C)
{
    Matrix d_A = toDevice(A, 1);
    Matrix d_B = toDevice(B, 1);
    Matrix d_C = toDevice(C, 0);

    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
    dim3 dimGrid(B.width / dimBlock.x, A.height / dimBlock.y);
    MatMulKernel<<<dimGrid, dimBlock>>>(d_A, d_B, d_C);

    cudaMemcpy(C.elements, d_C.elements, (size_t)C.width * C.height * sizeof(float),
               cudaMemcpyDeviceToHost);
    cudaFree(d_A.elements);
    cudaFree(d_B.elements);
    cudaFree(d_C.elements);
}

Matrix newMatrix(int height, int width)
{
    Matrix M;
    M.height = height; M.width = width; M.stride = width;
    M.elements = (float*)malloc((size_t)width * height * sizeof(float));
    for (int i = 0; i < width * height; i++) M.elements[i] = (float)(rand() % 8);
    return M;
}

int main()
{
    Matrix A = newMatrix(48, 80), B = newMatrix(80, 112), C = newMatrix(48, 112);
    MatMul(A, B, C);

    for (int i = 0; i < C.height; i++)
        for (int j = 0; j < C.width; j++) {
            float s = 0;
            for (int k = 0; k < A.width; k++)
                s += A.elements[i * A.width + k] * B.elements[k * B.width + j];
            if (s != C.elements[i * C.width + j]) {
                printf("mismatch at %d %d\n", i, j);
                return 1;
            }
        }
    printf("Test PASSED\n");
    return 0;
}
