// 作业三：用动态共享内存实现分块矩阵乘法
// C(M x N) = A(M x K) * B(K x N)，任意大小都可以
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void matmul_dyn(const float *A, const float *B, float *C,
                           int M, int N, int K, int tile)
{
    extern __shared__ float buf[];
    float *sa = buf;                   // A 的块
    float *sb = buf + tile * tile;     // B 的块

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * tile + ty;
    int col = blockIdx.x * tile + tx;

    float sum = 0.0f;
    for (int t = 0; t < (K + tile - 1) / tile; t++) {
        int ka = t * tile + tx;
        int kb = t * tile + ty;
        sa[ty * tile + tx] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
        sb[ty * tile + tx] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < tile; k++)
            sum += sa[ty * tile + k] * sb[k * tile + tx];
        __syncthreads();
    }
    if (row < M && col < N)
        C[row * N + col] = sum;
}

// tile: 每块的边长，1 到 32
int matmul(const float *hA, const float *hB, float *hC, int M, int N, int K, int tile)
{
    if (tile < 1 || tile > 32 || M < 1 || N < 1 || K < 1)
        return -1;

    float *dA, *dB, *dC;
    cudaMalloc((void **)&dA, sizeof(float) * M * K);
    cudaMalloc((void **)&dB, sizeof(float) * K * N);
    cudaMalloc((void **)&dC, sizeof(float) * M * N);
    cudaMemcpy(dA, hA, sizeof(float) * M * K, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, hB, sizeof(float) * K * N, cudaMemcpyHostToDevice);

    dim3 block(tile, tile);
    dim3 grid((N + tile - 1) / tile, (M + tile - 1) / tile);
    size_t shared_bytes = tile * tile * sizeof(float);
    matmul_dyn<<<grid, block, shared_bytes>>>(dA, dB, dC, M, N, K, tile);

    cudaMemcpy(hC, dC, sizeof(float) * M * N, cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return 0;
}
