#include <cuda_runtime.h>

extern __shared__ float pool[];      // first tile of A, then tile of B

__global__ void gemmDyn(float* C, const float* A, const float* B, int M, int N, int K, int T)
{
    float* tA = pool;
    float* tB = pool + T * T;

    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * T + y;
    int col = blockIdx.x * T + x;
    float r = 0.0f;

    for (int k0 = 0; k0 < K; k0 += T) {
        tA[y * T + x] = (row < M && k0 + x < K) ? A[row * K + (k0 + x)] : 0.0f;
        tB[y * T + x] = (col < N && k0 + y < K) ? B[(k0 + y) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < T; ++k)
            r += tA[y * T + k] * tB[k * T + x];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = r;
}

int multiply(float* C, const float* A, const float* B, int M, int N, int K)
{
    const int T = 32;
    const size_t shared = T * T * sizeof(float);
    dim3 threads(T, T);
    dim3 blocks((N - 1) / T + 1, (M - 1) / T + 1);
    gemmDyn<<<blocks, threads, shared>>>(C, A, B, M, N, K, T);
    return cudaDeviceSynchronize() == cudaSuccess;
}
