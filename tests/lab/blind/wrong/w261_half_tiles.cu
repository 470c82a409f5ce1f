// Half precision matrix multiply with 16x16 tiles, sums kept in float.
// C = A x B; A is M x K, B is K x N, rows one after the other.
//
// block: (16, 16)    grid: (ceil(N/16), ceil(M/16))
#include <cuda_fp16.h>

__global__ void matMulHalf(const __half *A, const __half *B, __half *C, int M, int N, int K)
{
    __shared__ __half tileA[16][16];
    __shared__ __half tileB[16][16];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty;
    int col = blockIdx.x * 16 + tx;

    // nothing to do outside of C
    if (row >= M || col >= N)
        return;

    float value = 0.0f;
    int numTiles = (K + 15) / 16;

    for (int t = 0; t < numTiles; t++) {
        int kA = t * 16 + tx;
        int kB = t * 16 + ty;

        if (row < M && kA < K)
            tileA[ty][tx] = A[(size_t)row * K + kA];
        else
            tileA[ty][tx] = __float2half(0.0f);

        if (kB < K && col < N)
            tileB[ty][tx] = B[(size_t)kB * N + col];
        else
            tileB[ty][tx] = __float2half(0.0f);

        __syncthreads();

        for (int i = 0; i < 16; i++)
            value += __half2float(tileA[ty][i]) * __half2float(tileB[i][tx]);

        __syncthreads();
    }

    C[(size_t)row * N + col] = __float2half(value);
}
