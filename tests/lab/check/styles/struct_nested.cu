// A struct in a struct: more than its fields.
struct Shape { int rows, cols; };
struct Matrix { Shape shape; float* elements; };
__global__ void mm(Matrix A, Matrix B, Matrix C)
{
    int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < A.shape.cols; ++k) sum += A.elements[i * A.shape.cols + k] * B.elements[k * B.shape.cols + j];
    if (i < C.shape.rows && j < C.shape.cols) C.elements[i * C.shape.cols + j] = sum;
}
