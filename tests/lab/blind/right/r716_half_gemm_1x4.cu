// 半精度の行列積  C = A * B   (A: MxK, B: KxN, C: MxN, すべて行優先)
// 入力は half、計算と出力は float。
// 1スレッドが C の1行の4要素 (16列おき) を担当する。
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdexcept>

namespace {
constexpr int kThreads = 16;          // ブロックは 16 x 16
constexpr int kPer     = 4;           // 1スレッドあたりの列数
constexpr int kTileN   = kThreads * kPer;
constexpr int kTileK   = 16;
}

__global__ void hgemm(const __half* A, const __half* B, float* C, int M, int N, int K)
{
    __shared__ __half sa[kThreads][kTileK];
    __shared__ __half sb[kTileK][kTileN];

    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row  = blockIdx.y * kThreads + y;
    const int col0 = blockIdx.x * kTileN + x;

    float acc[kPer];
    for (int p = 0; p < kPer; ++p) acc[p] = 0.0f;

    const __half zero = __float2half(0.0f);
    for (int k0 = 0; k0 < K; k0 += kTileK) {
        sa[y][x] = (row < M && k0 + x < K) ? A[row * K + k0 + x] : zero;
        for (int p = 0; p < kPer; ++p) {
            const int col = col0 + p * kThreads;
            sb[y][x + p * kThreads] = (k0 + y < K && col < N) ? B[(k0 + y) * N + col] : zero;
        }
        __syncthreads();

        for (int k = 0; k < kTileK; ++k) {
            const float a = __half2float(sa[y][k]);
            for (int p = 0; p < kPer; ++p)
                acc[p] += a * __half2float(sb[k][x + p * kThreads]);
        }
        __syncthreads();
    }

    if (row >= M) return;
    for (int p = 0; p < kPer; ++p) {
        const int col = col0 + p * kThreads;
        if (col < N) C[row * N + col] = acc[p];
    }
}

// ポインタはすべてデバイス側
void launchHgemm(const __half* A, const __half* B, float* C, int M, int N, int K, cudaStream_t stream)
{
    if (M <= 0 || N <= 0) return;
    dim3 block(kThreads, kThreads);
    dim3 grid((N + kTileN - 1) / kTileN, (M + kThreads - 1) / kThreads);
    hgemm<<<grid, block, 0, stream>>>(A, B, C, M, N, K);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("hgemm launch failed");
}
