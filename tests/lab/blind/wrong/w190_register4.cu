#include <cuda_runtime.h>

// 32x32 tile of C per block of 64 threads, 4x4 values per thread
constexpr int BLK = 32;
constexpr int DEPTH = 8;
constexpr int R = 4;

__global__ void __launch_bounds__(64)
mmRegister(const float* __restrict__ A, const float* __restrict__ B,
           float* __restrict__ C, int M, int K, int N)
{
    __shared__ float As[DEPTH][BLK];   // stored transposed
    __shared__ float Bs[DEPTH][BLK];

    const int t = threadIdx.x;
    const int ty = (t / 8) * R;
    const int tx = (t % 8) * R;
    const int r0 = blockIdx.y * BLK;
    const int c0 = blockIdx.x * BLK;
    float res[R][R] = {};

    for (int kk = 0; kk < K; kk += DEPTH) {
        for (int e = t; e < BLK * DEPTH; e += 64) {
            int i = e / DEPTH, k = e % DEPTH;
            As[k][i] = (r0 + i < M && kk + k < K) ? A[(r0 + i) * K + kk + k] : 0.f;
            int kb = e / BLK, j = e % BLK;
            Bs[kb][j] = (kk + kb < K && c0 + j < N) ? B[(kk + kb) * N + c0 + j] : 0.f;
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; ++k)
            for (int i = 0; i < R; ++i)
                for (int j = 0; j < R; ++j)
                    res[i][j] = As[k][ty + i] * Bs[k][tx + j];
        __syncthreads();
    }

    for (int i = 0; i < R; ++i)
        for (int j = 0; j < R; ++j) {
            int r = r0 + ty + i, c = c0 + tx + j;
            if (r < M && c < N) C[r * N + c] = res[i][j];
        }
}

void launch(const float* A, const float* B, float* C, int M, int K, int N)
{
    dim3 grid((N + BLK - 1) / BLK, (M + BLK - 1) / BLK);
    mmRegister<<<grid, 64>>>(A, B, C, M, K, N);
}
