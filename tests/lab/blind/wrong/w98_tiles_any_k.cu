#include <cuda_runtime.h>
#include <stdio.h>

#define TILE_SIZE 16

/* C(MxN) = A(MxK) * B(KxN), all sizes */
__global__ void
gemm_kernel(const float *A, const float *B, float *C,
            const int M, const int K, const int N)
{
    __shared__ float tile_a[TILE_SIZE * TILE_SIZE];
    __shared__ float tile_b[TILE_SIZE * TILE_SIZE];

    const int tx  = threadIdx.x;
    const int ty  = threadIdx.y;
    const int row = ty + blockIdx.y * TILE_SIZE;
    const int col = tx + blockIdx.x * TILE_SIZE;
    const int num_tiles = K / TILE_SIZE;

    float result = 0.0f;
    for (int t = 0; t < num_tiles; t++) {
        int a_col = t * TILE_SIZE + tx;
        int b_row = t * TILE_SIZE + ty;

        tile_a[ty * TILE_SIZE + tx] =
            row < M && a_col < K ? A[row * K + a_col] : 0.0f;
        tile_b[ty * TILE_SIZE + tx] =
            b_row < K && col < N ? B[b_row * N + col] : 0.0f;
        __syncthreads();

        for (int i = 0; i < TILE_SIZE; i++)
            result += tile_a[ty * TILE_SIZE + i] * tile_b[i * TILE_SIZE + tx];
        __syncthreads();
    }

    if (row < M && col < N)
        C[row * N + col] = result;
}

extern "C" int
gemm(const float *dev_A, const float *dev_B, float *dev_C, int M, int K, int N)
{
    const dim3 threads(TILE_SIZE, TILE_SIZE);
    const dim3 blocks((N + TILE_SIZE - 1) / TILE_SIZE,
                      (M + TILE_SIZE - 1) / TILE_SIZE);

    gemm_kernel<<<blocks, threads>>>(dev_A, dev_B, dev_C, M, K, N);

    cudaError_t status = cudaGetLastError();
    if (status != cudaSuccess) {
        fprintf(stderr, "gemm: %s\n", cudaGetErrorString(status));
        return -1;
    }
    return 0;
}
