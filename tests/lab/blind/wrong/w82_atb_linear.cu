// C = A^T * B with 1-D blocks and 1-D grid.
//   A : K x M row-major (used transposed)
//   B : K x N row-major
//   C : M x N row-major
// Every thread strides over the elements of C; any grid size works.
#include <cuda_runtime.h>

__global__ void multiply_at_b(const float *A, const float *B, float *C,
                              int M, int N, int K)
{
    int count = M * N;
    int step = gridDim.x * blockDim.x;

    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < count; e += step) {
        int i = e / N;
        int j = e - i * N;

        int sum = 0;
        for (int k = 0; k < K; ++k) {
            float left = A[k * M + i];
            float right = B[k * N + j];
            sum += left * right;
        }
        C[e] = sum;
    }
}

void launch(const float *A, const float *B, float *C, int M, int N, int K)
{
    multiply_at_b<<<64, 256>>>(A, B, C, M, N, K);
}
