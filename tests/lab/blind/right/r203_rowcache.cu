#include <cuda_runtime.h>
#include <cstdio>

// Block number i computes row i of the product. The row of A is copied to
// shared memory once, then the threads stride over the columns.
__global__ void rowMul(const float *A, const float *B, float *C, int K, int N)
{
    extern __shared__ float rowA[];
    const int i = blockIdx.x;

    for (int k = threadIdx.x; k < K; k += blockDim.x)
        rowA[k] = A[i * K + k];
    __syncthreads();

    for (int j = threadIdx.x; j < N; j += blockDim.x) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k)
            sum += rowA[k] * B[k * N + j];
        C[i * N + j] = sum;
    }
}

int main()
{
    const int M = 21, K = 300, N = 190;
    float *A, *B, *C;
    cudaMallocManaged(&A, sizeof(float) * M * K);
    cudaMallocManaged(&B, sizeof(float) * K * N);
    cudaMallocManaged(&C, sizeof(float) * M * N);
    for (int i = 0; i < M * K; ++i) A[i] = (i % 2) ? 1.f : -1.f;
    for (int i = 0; i < K * N; ++i) B[i] = (float)(i % 11);
    rowMul<<<M, 128, K * sizeof(float)>>>(A, B, C, K, N);
    cudaDeviceSynchronize();
    float ref = 0;
    for (int k = 0; k < K; ++k) ref += A[(M - 1) * K + k] * B[k * N + 7];
    printf("%f %f\n", C[(M - 1) * N + 7], ref);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return 0;
}
