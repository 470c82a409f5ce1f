// The guide's tiled product: matrices with a stride, sub-matrices by value, filled in by the host.
#define BLOCK_SIZE 16
typedef struct {
    int width;
    int height;
    int stride;
    float* elements;
} Matrix;
__device__ float GetElement(const Matrix A, int row, int col) { return A.elements[row * A.stride + col]; }
__device__ Matrix GetSubMatrix(Matrix A, int row, int col)
{
    Matrix Asub;
    Asub.width = BLOCK_SIZE;
    Asub.height = BLOCK_SIZE;
    Asub.stride = A.stride;
    Asub.elements = &A.elements[A.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
    return Asub;
}
__global__ void MatMulKernel(const Matrix, const Matrix, Matrix);
void MatMul(const Matrix A, const Matrix B, Matrix C)
{
    Matrix d_A;
    d_A.width = d_A.stride = A.width; d_A.height = A.height;
    cudaMalloc(&d_A.elements, A.width * A.height * sizeof(float));
    Matrix d_B;
    d_B.width = d_B.stride = B.width; d_B.height = B.height;
    cudaMalloc(&d_B.elements, B.width * B.height * sizeof(float));
    Matrix d_C;
    d_C.width = d_C.stride = C.width; d_C.height = C.height;
    cudaMalloc(&d_C.elements, C.width * C.height * sizeof(float));
    dim3 dimBlock(BLOCK_SIZE, BLOCK_SIZE);
    dim3 dimGrid(B.width / dimBlock.x, A.height / dimBlock.y);
    MatMulKernel<<<dimGrid, dimBlock>>>(d_A, d_B, d_C);
}
__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C)
{
    Matrix Csub = GetSubMatrix(C, blockIdx.y, blockIdx.x);
    float Cvalue = 0;
    int row = threadIdx.y, col = threadIdx.x;
    for (int m = 0; m < (A.width / BLOCK_SIZE); ++m) {
        Matrix Asub = GetSubMatrix(A, blockIdx.y, m);
        Matrix Bsub = GetSubMatrix(B, m, blockIdx.x);
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[row][col] = GetElement(Asub, row, col);
        Bs[row][col] = GetElement(Bsub, row, col);
        __syncthreads();
        for (int e = 0; e < BLOCK_SIZE; ++e)
            Cvalue += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    Csub.elements[row * Csub.stride + col] = Cvalue;
}
