// Matrix multiplication with sub-matrices, following the programming guide.
// Matrix dimensions are assumed to be multiples of BLOCK_SIZE (and below 20000),
// host matrices are packed (stride == width).
#include <stdio.h>
#include <stdlib.h>

#define BLOCK_SIZE 16

// M(row, col) = *(M.elements + row * M.stride + col)
typedef struct {
    int width;
    int height;
    int stride;
    double *elements;
} Matrix;

__device__ Matrix subMatrix(Matrix A, int brow, int bcol)
{
    Matrix s;
    s.width = BLOCK_SIZE;
    s.height = BLOCK_SIZE;
    s.stride = A.stride;
    s.elements = &A.elements[A.stride * BLOCK_SIZE * brow + BLOCK_SIZE * bcol];
    return s;
}

__device__ double get(const Matrix A, int row, int col)
{
    return A.elements[row * A.stride + col];
}

__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C)
{
    __shared__ double As[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ double Bs[BLOCK_SIZE][BLOCK_SIZE];

    int row = threadIdx.y, col = threadIdx.x;
    Matrix Csub = subMatrix(C, blockIdx.y, blockIdx.x);
    double value = 0;

    for (int m = 0; m < A.width / BLOCK_SIZE; ++m) {
        Matrix Asub = subMatrix(A, blockIdx.y, m);
        Matrix Bsub = subMatrix(B, m, blockIdx.x);

        As[row][col] = get(Asub, row, col);
        Bs[row][col] = get(Bsub, row, col);
        __syncthreads();

        for (int e = 0; e < BLOCK_SIZE; ++e)
            value += As[row][e] * Bs[e][col];
        __syncthreads();
    }

    Csub.elements[row * Csub.stride + col] = value;
}

Matrix deviceMatrix(int height, int width)
{
    Matrix d;
    d.width = d.stride = width;
    d.height = height;
    cudaMalloc((void **)&d.elements, (size_t)width * height * sizeof(double));
    return d;
}

void MatMul(const Matrix A, const Matrix B, Matrix C)
{
    Matrix dA = deviceMatrix(A.height, A.width);
    Matrix dB = deviceMatrix(B.height, B.width);
    Matrix dC = deviceMatrix(C.height, C.width);
    cudaMemcpy(dA.elements, A.elements, (size_t)A.width * A.height * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB.elements, B.elements, (size_t)B.width * B.height * sizeof(double), cudaMemcpyHostToDevice);

    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
    dim3 dimGrid(B.width / dimBlock.x, A.height / dimBlock.y);
    MatMulKernel<<<dimGrid, dimBlock>>>(dA, dB, dC);

    cudaMemcpy(C.elements, dC.elements, (size_t)C.width * C.height * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(dA.elements);
    cudaFree(dB.elements);
    cudaFree(dC.elements);
}

int main(void)
{
    Matrix A, B, C;
    A.height = 160; A.width = A.stride = 96;
    B.height = 96;  B.width = B.stride = 208;
    C.height = 160; C.width = C.stride = 208;
    A.elements = (double *)malloc(A.height * A.width * sizeof(double));
    B.elements = (double *)malloc(B.height * B.width * sizeof(double));
    C.elements = (double *)malloc(C.height * C.width * sizeof(double));
    for (int i = 0; i < A.height * A.width; i++) A.elements[i] = i % 3;
    for (int i = 0; i < B.height * B.width; i++) B.elements[i] = i % 4;

    MatMul(A, B, C);
    printf("%g %g %g\n", C.elements[0], C.elements[1], C.elements[C.stride]);

    free(A.elements); free(B.elements); free(C.elements);
    return 0;
}
