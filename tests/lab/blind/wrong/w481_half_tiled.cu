// Tiled product of half matrices, float result.
// A: M x K, B: K x N, C: M x N (row major), any sizes.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int TILE_DIM = 16;

__device__ inline __half fetch(const __half *src, int r, int c, int rows, int cols)
{
    if (r < rows && c < cols)
        return src[(size_t)r * cols + c];
    return __float2half(0.0f);
}

__global__ void hmm_tiled(const __half *A, const __half *B, float *C,
                          int M, int N, int K)
{
    __shared__ __half tileA[TILE_DIM][TILE_DIM];
    __shared__ __half tileB[TILE_DIM][TILE_DIM];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int r = blockIdx.y * TILE_DIM + ty;
    const int c = blockIdx.x * TILE_DIM + tx;
    const int phases = (K + TILE_DIM - 1) / TILE_DIM;

    float value = 0.0f;
    for (int ph = 0; ph < phases; ++ph) {
        tileA[ty][tx] = fetch(A, r, ph * TILE_DIM + tx, M, K);
        tileB[ty][tx] = fetch(B, ph * TILE_DIM + ty, c, K, N);
        __syncthreads();

#pragma unroll
        for (int j = 0; j < TILE_DIM; ++j)
            value += __half2float(tileA[ty][j]) * __half2float(tileB[j][tx]);
    }

    if (r < M && c < N)
        C[(size_t)r * N + c] = value;
}

void half_matmul(const __half *A, const __half *B, float *C, int M, int N, int K)
{
    dim3 threads(TILE_DIM, TILE_DIM);
    dim3 blocks((N + TILE_DIM - 1) / TILE_DIM, (M + TILE_DIM - 1) / TILE_DIM);
    hmm_tiled<<<blocks, threads>>>(A, B, C, M, N, K);
}
