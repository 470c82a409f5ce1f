#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

// C = A * B^T  (A: M x K, B: N x K, C: M x N, row-major)
__global__ void matmulNT(const float *A, const float *B, float *C,
                         int M, int N, int K, int tile)
{
    extern __shared__ float smem[];
    float *As = smem;
    float *Bs = smem + tile * tile;

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * tile + ty;
    int col = blockIdx.x * tile + tx;
    int brow = blockIdx.x * tile + ty;

    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += tile) {
        int k = k0 + tx;
        As[ty * tile + tx] = (row < M && k < K) ? A[row * K + k] : 0.0f;
        Bs[ty * tile + tx] = (brow < N && k < K) ? B[brow * K + k] : 0.0f;
        __syncthreads();

        for (int kk = 0; kk < tile; ++kk)
            acc += As[ty * tile + kk] * Bs[tx * tile + kk];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = acc;
}

int main()
{
    const int M = 128, N = 80, K = 50;
    const int tile = 32;

    float *A, *B, *C;
    cudaMallocManaged(&A, M * K * sizeof(float));
    cudaMallocManaged(&B, N * K * sizeof(float));
    cudaMallocManaged(&C, M * N * sizeof(float));
    for (int i = 0; i < M * K; ++i) A[i] = (i % 9) - 4.0f;
    for (int i = 0; i < N * K; ++i) B[i] = (i % 6) - 2.5f;

    dim3 threads(tile, tile);
    dim3 blocks((N + tile - 1) / tile, (M + tile - 1) / tile);
    size_t shmem = tile * tile * sizeof(float);
    matmulNT<<<blocks, threads, shmem>>>(A, B, C, M, N, K, tile);
    cudaDeviceSynchronize();

    float maxErr = 0.0f;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float ref = 0.0f;
            for (int k = 0; k < K; ++k)
                ref += A[i * K + k] * B[j * K + k];
            maxErr = fmaxf(maxErr, fabsf(ref - C[i * N + j]));
        }
    printf("max error: %g\n", maxErr);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return 0;
}
