#include <stdio.h>
#include <cuda_runtime.h>

#define ROWS 38
#define INNER 47
#define COLS 66
#define RROWS (ROWS / 2)
#define RCOLS (COLS / 2)
#define A_(r, k) A[(r) * INNER + (k)]
#define B_(k, c) B[(k) * COLS + (c)]
#define C_(r, c) C[(r) * RCOLS + (c)]

__global__ void halfProduct(const double *A, const double *B, double *C)
{
    unsigned c = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned r = blockIdx.y * blockDim.y + threadIdx.y;

    if (r < RROWS && c < RCOLS) {
        double sum = 0.0;
        for (int k = 0; k < INNER; ++k) {
            double left = A_(2 * r, k) + A_(2 * r + 1, k);
            double right = B_(k, 2 * c) + B_(k, 2 * c + 1);
            sum += left * right;
        }
        C_(r, c) = sum;
    }
}

int main(void)
{
    double *A, *B, *C;
    cudaMallocManaged(&A, sizeof(double) * ROWS * INNER);
    cudaMallocManaged(&B, sizeof(double) * INNER * COLS);
    cudaMallocManaged(&C, sizeof(double) * RROWS * RCOLS);
    for (int i = 0; i < ROWS * INNER; ++i) A[i] = 0.25 * (i % 8);
    for (int i = 0; i < INNER * COLS; ++i) B[i] = 0.5 * (i % 5);

    dim3 threads(32, 8);
    dim3 blocks((RCOLS + 31) / 32, (RROWS + 7) / 8);
    halfProduct<<<blocks, threads>>>(A, B, C);
    cudaDeviceSynchronize();

    for (int c = 0; c < 4; ++c) printf("%g ", C[c]);
    printf("\n");
    return 0;
}
