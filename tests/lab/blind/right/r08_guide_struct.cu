// Adapted from the CUDA C programming guide (sub matrices with stride),
// extended so that the sizes don't have to be multiples of BLOCK_SIZE.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOCK_SIZE 16

// Matrices are stored in row-major order:
// M(row, col) = *(M.elements + row * M.stride + col)
typedef struct {
    int width;
    int height;
    int stride;
    float* elements;
} Matrix;

__device__ float GetElement(const Matrix A, int row, int col)
{
    if (row < A.height && col < A.width)
        return A.elements[row * A.stride + col];
    return 0.0f;
}

__device__ void SetElement(Matrix A, int row, int col, float value)
{
    if (row < A.height && col < A.width)
        A.elements[row * A.stride + col] = value;
}

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C)
{
    int blockRow = blockIdx.y;
    int blockCol = blockIdx.x;
    int row = threadIdx.y;
    int col = threadIdx.x;

    float Cvalue = 0;

    for (int m = 0; m < (A.width + BLOCK_SIZE - 1) / BLOCK_SIZE; ++m) {
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];

        As[row][col] = GetElement(A, blockRow * BLOCK_SIZE + row, m * BLOCK_SIZE + col);
        Bs[row][col] = GetElement(B, m * BLOCK_SIZE + row, blockCol * BLOCK_SIZE + col);

        __syncthreads();
        for (int e = 0; e < BLOCK_SIZE; ++e)
            Cvalue += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    SetElement(C, blockRow * BLOCK_SIZE + row, blockCol * BLOCK_SIZE + col, Cvalue);
}

// Host code: A, B and C are host matrices
void MatMul(const Matrix A, const Matrix B, Matrix C)
{
    Matrix d_A;
    d_A.width = d_A.stride = A.width; d_A.height = A.height;
    size_t size = A.width * A.height * sizeof(float);
    cudaMalloc((void**)&d_A.elements, size);
    cudaMemcpy(d_A.elements, A.elements, size, cudaMemcpyHostToDevice);

    Matrix d_B;
    d_B.width = d_B.stride = B.width; d_B.height = B.height;
    size = B.width * B.height * sizeof(float);
    cudaMalloc((void**)&d_B.elements, size);
    cudaMemcpy(d_B.elements, B.elements, size, cudaMemcpyHostToDevice);

    Matrix d_C;
    d_C.width = d_C.stride = C.width; d_C.height = C.height;
    size = C.width * C.height * sizeof(float);
    cudaMalloc((void**)&d_C.elements, size);

    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
    dim3 dimGrid((B.width + dimBlock.x - 1) / dimBlock.x, (A.height + dimBlock.y - 1) / dimBlock.y);
    MatMulKernel<<<dimGrid, dimBlock>>>(d_A, d_B, d_C);
    cudaDeviceSynchronize();

    cudaMemcpy(C.elements, d_C.elements, size, cudaMemcpyDeviceToHost);
    cudaFree(d_A.elements);
    cudaFree(d_B.elements);
    cudaFree(d_C.elements);
}

static Matrix make(int h, int w)
{
    Matrix m;
    m.width = m.stride = w;
    m.height = h;
    m.elements = (float*)malloc(sizeof(float) * h * w);
    return m;
}

int main(void)
{
    Matrix A = make(90, 140), B = make(140, 77), C = make(90, 77);
    for (int i = 0; i < 90 * 140; i++) A.elements[i] = (float)(rand() % 3);
    for (int i = 0; i < 140 * 77; i++) B.elements[i] = (float)(rand() % 2);
    MatMul(A, B, C);

    int bad = 0;
    for (int i = 0; i < A.height; i++)
        for (int j = 0; j < B.width; j++) {
            float s = 0;
            for (int k = 0; k < A.width; k++)
                s += A.elements[i * A.width + k] * B.elements[k * B.width + j];
            if (!(fabsf(s - C.elements[i * C.width + j]) <= 1e-3f)) bad = 1;
        }
    printf(bad ? "BAD\n" : "OK\n");
    free(A.elements); free(B.elements); free(C.elements);
    return bad;
}
