#include <cuda_runtime.h>
// C[M,N] = A[M,K] * B[K,N]. Few blocks, each one walks over many tiles of C,
// so the launch may use any number of blocks.

constexpr int TM = 16, TN = 32, TD = 8;

__device__ int divUp(int a, int b) { return (a + b - 1) / b; }

// blockDim = (TN, TM / 2): a thread computes C[r][c] and C[r + TM/2][c] of the tile
__global__ void tileWalk(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float As[TM][TD];
    __shared__ float Bs[TD][TN];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int id = ty * TN + tx;                    // 0 .. 255
    const int tilesX = divUp(N, TN);
    const int tiles = tilesX * divUp(M, TM);
    float upper = 0.f, lower = 0.f;

    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int r0 = (tile / tilesX) * TM;
        const int c0 = (tile % tilesX) * TN;

        for (int d = 0; d < K; d += TD) {
            if (id < TM * TD) {
                int r = id / TD, q = id % TD;
                As[r][q] = (r0 + r < M && d + q < K) ? A[(r0 + r) * K + d + q] : 0.f;
            }
            Bs[ty][tx] = (d + ty < K && c0 + tx < N) ? B[(d + ty) * N + c0 + tx] : 0.f;
            __syncthreads();

            for (int q = 0; q < TD; ++q) {
                upper += As[ty][q] * Bs[q][tx];
                lower += As[ty + TM / 2][q] * Bs[q][tx];
            }
            __syncthreads();
        }

        if (c0 + tx < N) {
            if (r0 + ty < M)          C[(r0 + ty) * N + c0 + tx] = upper;
            if (r0 + ty + TM / 2 < M) C[(r0 + ty + TM / 2) * N + c0 + tx] = lower;
        }
    }
}

void matmul(const float* A, const float* B, float* C, int M, int N, int K, int blocks)
{
    tileWalk<<<blocks, dim3(TN, TM / 2)>>>(A, B, C, M, N, K);
}
