// After the CUDA C Programming Guide (shared memory version), with stride.
// Matrix dimensions must be multiples of BLOCK_SIZE.
#include <stdio.h>
#include <stdlib.h>
#include <assert.h>

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
    int blockRow = blockIdx.y, blockCol = blockIdx.x;
    Matrix Csub = GetSubMatrix(C, blockRow, blockCol);
    float Cvalue = 0;
    int row = threadIdx.y, col = threadIdx.x;

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

void MatMul(const Matrix A, const Matrix B, Matrix C)
{
    assert(A.width == B.height && C.height == A.height && C.width == B.width);
    assert(A.width % BLOCK_SIZE == 0 && A.height % BLOCK_SIZE == 0 && B.width % BLOCK_SIZE == 0);

    Matrix d_A = A, d_B = B, d_C = C;
    d_A.stride = A.width; d_B.stride = B.width; d_C.stride = C.width;
    size_t sizeA = A.width * A.height * sizeof(float);
    size_t sizeB = B.width * B.height * sizeof(float);
    size_t sizeC = C.width * C.height * sizeof(float);
    cudaMalloc((void**)&d_A.elements, sizeA);
    cudaMalloc((void**)&d_B.elements, sizeB);
    cudaMalloc((void**)&d_C.elements, sizeC);
    cudaMemcpy(d_A.elements, A.elements, sizeA, cudaMemcpyHostToDevice);
    cudaMemcpy(d_B.elements, B.elements, sizeB, cudaMemcpyHostToDevice);

    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
    dim3 dimGrid(B.width / dimBlock.x, A.height / dimBlock.y);
    MatMulKernel<<<dimGrid, dimBlock>>>(d_A, d_B, d_C);

    cudaMemcpy(C.elements, d_C.elements, sizeC, cudaMemcpyDeviceToHost);
    cudaFree(d_A.elements);
    cudaFree(d_B.elements);
    cudaFree(d_C.elements);
}

int main()
{
    Matrix A = {64, 48, 64, NULL}, B = {80, 64, 80, NULL}, C = {80, 48, 80, NULL};
    A.elements = (float*)malloc(A.width * A.height * sizeof(float));
    B.elements = (float*)malloc(B.width * B.height * sizeof(float));
    C.elements = (float*)malloc(C.width * C.height * sizeof(float));
    for (int i = 0; i < A.width * A.height; i++) A.elements[i] = i % 3;
    for (int i = 0; i < B.width * B.height; i++) B.elements[i] = i % 7;
    MatMul(A, B, C);
    int bad = 0;
    for (int i = 0; i < C.height; i++)
        for (int j = 0; j < C.width; j++) {
            float s = 0;
            for (int k = 0; k < A.width; k++)
                s += A.elements[i * A.width + k] * B.elements[k * B.width + j];
            bad += (s != C.elements[i * C.width + j]);
        }
    printf("%d bad elements\n", bad);
    free(A.elements); free(B.elements); free(C.elements);
    return bad != 0;
}
