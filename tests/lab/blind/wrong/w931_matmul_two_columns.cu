#include <cuda_runtime.h>

// C = A * B, row-major. Tiles of 16 rows by 32 columns; a thread of the 16 x 16 block
// computes columns tx and tx + 16.
constexpr int H = 16;
constexpr int W = 2 * H;

__global__ void matmul_2c(const float* A, const float* B, float* C, int M, int N, int K)
{
    __shared__ float a_s[H][H];
    __shared__ float b_s[H][W];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * H + ty;
    const int c0 = blockIdx.x * W + tx;
    const int c1 = c0 + H;

    float left = 0.f, right = 0.f;

    for (int k0 = 0; k0 < K; k0 += H) {
        const int ak = k0 + tx;
        const int bk = k0 + ty;
        a_s[ty][tx] = (row < M && ak < K) ? A[row * K + ak] : 0.f;
        b_s[ty][tx] = (bk < K && c0 < N) ? B[bk * N + c0] : 0.f;
        b_s[ty][tx + H] = (bk < K && c1 < N) ? B[bk * N + c1] : 0.f;
        __syncthreads();

        for (int q = 0; q < H; ++q) {
            const float a = a_s[ty][q];
            left += a * b_s[q][tx];
            right += a * b_s[q][tx + H];
        }
    }

    if (row < M) {
        if (c0 < N) C[row * N + c0] = left;
        if (c1 < N) C[row * N + c1] = right;
    }
}

void matmul(const float* A, const float* B, float* C, int M, int N, int K)
{
    dim3 block(H, H);
    dim3 grid((N + W - 1) / W, (M + H - 1) / H);
    matmul_2c<<<grid, block>>>(A, B, C, M, N, K);
}
