#include <cstdio>
#include <cuda_runtime.h>

#define T 16
#define SPLITS 4

// every z-slice of the grid handles a chunk of the inner dimension
__global__ void gemmSplitK(const float *A, const float *B, float *C, int M, int N, int K)
{
    __shared__ float As[T][T];
    __shared__ float Bs[T][T];

    int chunk = (K + gridDim.z - 1) / gridDim.z;
    int kBegin = blockIdx.z * chunk;
    int kEnd = min(K, kBegin + chunk);

    int row = blockIdx.y * T + threadIdx.y;
    int col = blockIdx.x * T + threadIdx.x;
    float partial = 0.0f;

    for (int k0 = kBegin; k0 < kEnd; k0 += T) {
        int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = (row < M && ka < kEnd) ? A[row * K + ka] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = (kb < kEnd && col < N) ? B[kb * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < T; ++k)
            partial += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N)
        atomicAdd(&C[row * N + col], partial);
}

int main()
{
    int M = 24, N = 40, K = 333;
    float *A, *B, *C;
    cudaMallocManaged(&A, M * K * sizeof(float));
    cudaMallocManaged(&B, K * N * sizeof(float));
    cudaMallocManaged(&C, M * N * sizeof(float));
    for (int i = 0; i < M * K; ++i) A[i] = 1.0f;
    for (int i = 0; i < K * N; ++i) B[i] = 1.0f;
    cudaMemset(C, 0, M * N * sizeof(float));
    dim3 block(T, T);
    dim3 grid((N + T - 1) / T, (M + T - 1) / T, SPLITS);
    gemmSplitK<<<grid, block>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();
    printf("%f (should be %d)\n", C[M * N - 1], K);
    return 0;
}
