// C (M/2 x N/2) from A (M x K) and B (K x N), M and N even:
// C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
#include <cuda_runtime.h>

__global__ void reducedKernel(const double *A, const double *B, double *C,
                              int M, int N, int K)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < M && j < N) {
        double sum = 0.0;
        for (int k = 0; k < K; k++) {
            double a = A[(2 * i) * K + k] + A[(2 * i + 1) * K + k];
            double b = B[k * N + 2 * j] + B[k * N + 2 * j + 1];
            sum += a * b;
        }
        C[i * (N / 2) + j] = sum;
    }
}

void reducedProduct(const double *dA, const double *dB, double *dC, int M, int N, int K)
{
    dim3 block(16, 16);
    dim3 grid((N / 2 + block.x - 1) / block.x,
              (M / 2 + block.y - 1) / block.y);
    reducedKernel<<<grid, block>>>(dA, dB, dC, M, N, K);
}
