// C = A * B, row major, A is M x K, B is K x N, any sizes >= 1.
// Every thread owns one column of the tile and ROWS consecutive rows of it.
#include <cuda_runtime.h>

#define BN 64      // columns of a block's tile
#define ROWS 8     // rows per thread
#define GROUPS 4   // thread rows in a block
#define BM (ROWS * GROUPS)
#define BK 16

__global__ void gemm_strips(const float* A, const float* B, float* C,
                            int M, int N, int K)
{
    __shared__ float sA[BM][BK];
    __shared__ float sB[BK][BN];

    const int t = threadIdx.x;
    const int lc = t % BN;
    const int lr = (t / BN) * ROWS;
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    float acc[ROWS] = {0.f};

    for (int k0 = 0; k0 < K; k0 += BK) {
        for (int e = t; e < BM * BK; e += blockDim.x) {
            int r = e / BK, c = e % BK;
            bool in = row0 + r < M && k0 + c < K;
            sA[r][c] = in ? A[(size_t)(row0 + r) * K + k0 + c] : 0.f;
        }
        for (int e = t; e < BK * BN; e += blockDim.x) {
            int r = e / BN, c = e % BN;
            bool in = k0 + r < K && col0 + c < N;
            sB[r][c] = in ? B[(size_t)(k0 + r) * N + col0 + c] : 0.f;
        }
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            float b = sB[k][lc];
            #pragma unroll
            for (int i = 0; i < ROWS; ++i)
                acc[i] += sA[lr + i][k] * b;
        }
        __syncthreads();
    }

    if (col0 + lc >= N) return;
    for (int i = 0; i < ROWS; ++i) {
        int r = row0 + lr + i;
        if (r < M) C[(size_t)r * N + col0 + lc] = acc[i];
    }
}

void gemm(const float* dA, const float* dB, float* dC, int M, int N, int K)
{
    dim3 grid((N + BN - 1) / BN, (M + BM - 1) / BM);
    gemm_strips<<<grid, BN * GROUPS>>>(dA, dB, dC, M, N, K);
}
