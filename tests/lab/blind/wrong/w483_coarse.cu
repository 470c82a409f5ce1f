// Thread coarsening: one block computes COARSE neighbouring tiles of C in a row
// of tiles, so a thread produces COARSE results one after the other.
// C (M x N) = A (M x K) * B (K x N), row major, any sizes.
#include <cuda_runtime.h>

#define TW 16
#define COARSE 4

__global__ void matmul_coarse(const float* A, const float* B, float* C,
                              int M, int N, int K)
{
    __shared__ float Ads[TW][TW];
    __shared__ float Bds[TW][TW];

    int bx = blockIdx.x, by = blockIdx.y;
    int tx = threadIdx.x, ty = threadIdx.y;

    int row = by * TW + ty;
    int colStart = bx * TW * COARSE + tx;
    float p = 0.0f;

    for (int c = 0; c < COARSE; ++c) {
        int col = colStart + c * TW;

        for (int ph = 0; ph < (K + TW - 1) / TW; ++ph) {
            int ka = ph * TW + tx;
            int kb = ph * TW + ty;
            Ads[ty][tx] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
            Bds[ty][tx] = (kb < K && col < N) ? B[kb * N + col] : 0.0f;
            __syncthreads();

            for (int k = 0; k < TW; ++k)
                p += Ads[ty][k] * Bds[k][tx];
            __syncthreads();
        }

        if (row < M && col < N)
            C[row * N + col] = p;
    }
}

void launch_matmul_coarse(const float* A, const float* B, float* C, int M, int N, int K)
{
    dim3 dimBlock(TW, TW, 1);
    dim3 dimGrid((N + TW * COARSE - 1) / (TW * COARSE), (M + TW - 1) / TW, 1);
    matmul_coarse<<<dimGrid, dimBlock>>>(A, B, C, M, N, K);
}
