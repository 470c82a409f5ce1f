// Mixed precision product: half inputs, float output.
//   C (M x N) = A (M x K) * B (K x N), row-major, any M, N, K
// Blocks of 16 x 16 threads, tile 32 x 32 of C, each thread 2 x 2 results
// (rows ty and ty+16, columns tx and tx+16).
#include <cuda_fp16.h>

constexpr int BLK = 16;
constexpr int TILE = 2 * BLK;
constexpr int KT = 16;

__device__ inline __half ldg_or_zero(const __half* p, int r, int c, int rows, int cols) {
    return (r < rows && c < cols) ? p[(size_t)r * cols + c] : __float2half(0.0f);
}

__global__ void hgemm(const __half* A, const __half* B, float* C, int M, int N, int K) {
    __shared__ __half sa[TILE][KT];
    __shared__ __half sb[KT][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r0 = blockIdx.y * TILE, c0 = blockIdx.x * TILE;

    float acc[2][2] = {{0.f, 0.f}, {0.f, 0.f}};

    const int phases = K / KT;
    for (int ph = 0; ph < phases; ++ph) {
        const int k0 = ph * KT;
        sa[ty][tx]       = ldg_or_zero(A, r0 + ty,       k0 + tx, M, K);
        sa[ty + BLK][tx] = ldg_or_zero(A, r0 + ty + BLK, k0 + tx, M, K);
        sb[ty][tx]       = ldg_or_zero(B, k0 + ty, c0 + tx,       K, N);
        sb[ty][tx + BLK] = ldg_or_zero(B, k0 + ty, c0 + tx + BLK, K, N);
        __syncthreads();

        for (int k = 0; k < KT; ++k) {
            const float a0 = __half2float(sa[ty][k]);
            const float a1 = __half2float(sa[ty + BLK][k]);
            const float b0 = __half2float(sb[k][tx]);
            const float b1 = __half2float(sb[k][tx + BLK]);
            acc[0][0] += a0 * b0;
            acc[0][1] += a0 * b1;
            acc[1][0] += a1 * b0;
            acc[1][1] += a1 * b1;
        }
        __syncthreads();
    }

    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            const int r = r0 + ty + i * BLK, c = c0 + tx + j * BLK;
            if (r < M && c < N) C[(size_t)r * N + c] = acc[i][j];
        }
}
