#include <cuda_fp16.h>

// C (float) = A (half) * B (half).
// A block row of the grid takes 16 rows of C, and its blocks step over the column
// tiles, so gridDim.x may be anything from 1 up. blockDim = (16, 16).
#define NB 16

__global__ void half_strip(const half *A, const half *B, float *C, int M, int K, int N)
{
    __shared__ float sA[NB][NB + 1];
    __shared__ float sB[NB][NB + 1];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * NB + ty;
    int colTiles = (N + NB - 1) / NB;
    float acc = 0.0f;

    for (int ct = blockIdx.x; ct < colTiles; ct += gridDim.x)
    {
        int col = ct * NB + tx;

        for (int k0 = 0; k0 < K; k0 += NB)
        {
            sA[ty][tx] = 0.0f;
            sB[ty][tx] = 0.0f;
            if (row < M && k0 + tx < K)
                sA[ty][tx] = __half2float(A[row * K + k0 + tx]);
            if (k0 + ty < K && col < N)
                sB[ty][tx] = __half2float(B[(k0 + ty) * N + col]);
            __syncthreads();

            for (int q = 0; q < NB; q++)
                acc += sA[ty][q] * sB[q][tx];
            __syncthreads();
        }

        if (row < M && col < N)
            C[row * N + col] = acc;
    }
}

void half_matmul(const half *A, const half *B, float *C, int M, int K, int N)
{
    dim3 grid(4, (M + NB - 1) / NB);
    half_strip<<<grid, dim3(NB, NB)>>>(A, B, C, M, K, N);
}
