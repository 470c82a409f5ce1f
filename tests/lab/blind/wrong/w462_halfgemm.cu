#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace hw {

constexpr int TILE_W = 32;
constexpr int TILE_H = 8;    // block is 32 x 8, tile of C is 8 x 32

// C = alpha * A * B + beta * C, half storage, float accumulation
// any M, N, K
__global__ void hgemm(int M, int N, int K, float alpha, const half *A, const half *B,
                      float beta, half *C)
{
    __shared__ float As[TILE_H][TILE_W];
    __shared__ float Bs[TILE_W][TILE_W];

    const int row = blockIdx.y * TILE_H + threadIdx.y;
    const int col = blockIdx.x * TILE_W + threadIdx.x;

    float acc = 0.f;
    const int phases = K / TILE_W;
    for (int ph = 0; ph < phases; ++ph) {
        const int k0 = ph * TILE_W;
        const int ka = k0 + threadIdx.x;
        As[threadIdx.y][threadIdx.x] =
            (row < M && ka < K) ? __half2float(A[row * K + ka]) : 0.f;
        for (int r = threadIdx.y; r < TILE_W; r += TILE_H)
            Bs[r][threadIdx.x] =
                (k0 + r < K && col < N) ? __half2float(B[(k0 + r) * N + col]) : 0.f;
        __syncthreads();

#pragma unroll 8
        for (int k = 0; k < TILE_W; ++k)
            acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }

    if (row < M && col < N) {
        float old = __half2float(C[row * N + col]);
        C[row * N + col] = __float2half(alpha * acc + beta * old);
    }
}

inline void run(int M, int N, int K, float alpha, const half *A, const half *B, float beta, half *C)
{
    dim3 block(TILE_W, TILE_H);
    dim3 grid((N + TILE_W - 1) / TILE_W, (M + TILE_H - 1) / TILE_H);
    hgemm<<<grid, block>>>(M, N, K, alpha, A, B, beta, C);
}

} // namespace hw

void callHgemm(int M, int N, int K, const half *A, const half *B, half *C)
{
    hw::run(M, N, K, 1.0f, A, B, 0.5f, C);
}
