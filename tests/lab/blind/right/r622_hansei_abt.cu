// 半精度の行列積 C = A * B^T （カーネルのみ）
//   A : M x K, B : N x K, C : M x N, すべて行優先
//   K は偶数、A と B の先頭は 4 バイト境界にあること。M, N は 1 以上 100 万以下の任意の値。
// 起動: block(16,16), grid(ceil(N/16), ceil(M/16))
#include <cuda_fp16.h>

constexpr int kTile = 16;

extern "C" __global__ void __launch_bounds__(kTile * kTile)
hgemm_nt(const __half *A, const __half *B, __half *C, int M, int N, int K)
{
    // half2 を 16 個 = K 方向に 32 要素
    __shared__ __half2 sA[kTile][kTile + 1];
    __shared__ __half2 sB[kTile][kTile + 1];

    const int K2 = K / 2;
    const __half2 *A2 = reinterpret_cast<const __half2 *>(A);
    const __half2 *B2 = reinterpret_cast<const __half2 *>(B);

    const int gyo   = blockIdx.y * kTile + threadIdx.y;   // C の行
    const int retsu = blockIdx.x * kTile + threadIdx.x;   // C の列
    const int gyoB  = blockIdx.x * kTile + threadIdx.y;   // 読み込む B の行

    const __half2 zero = __float2half2_rn(0.0f);
    float wa = 0.0f;   // 合計は float で持つ

    for (int k0 = 0; k0 < K2; k0 += kTile) {
        const int k = k0 + threadIdx.x;
        sA[threadIdx.y][threadIdx.x] = (gyo  < M && k < K2) ? A2[(size_t)gyo  * K2 + k] : zero;
        sB[threadIdx.y][threadIdx.x] = (gyoB < N && k < K2) ? B2[(size_t)gyoB * K2 + k] : zero;
        __syncthreads();

#pragma unroll
        for (int q = 0; q < kTile; ++q) {
            const float2 a = __half22float2(sA[threadIdx.y][q]);
            const float2 b = __half22float2(sB[threadIdx.x][q]);
            wa += a.x * b.x;
            wa += a.y * b.y;
        }
        __syncthreads();
    }

    if (gyo < M && retsu < N)
        C[(size_t)gyo * N + retsu] = __float2half(wa);
}
