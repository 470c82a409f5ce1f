// Register-blocked SGEMM, 64x64 block tile, 4x4 outputs per thread, float4 traffic.
//
// Requirements (not checked here):
//   M and N multiples of 64, K a multiple of 16, A/B/C from cudaMalloc (16-byte aligned),
//   row-major without padding.
// Launch:
//   sgemm64<<<dim3(N / 64, M / 64), 256>>>(M, N, K, A, B, C);
#include <cuda_runtime.h>

namespace {
constexpr int BM = 64, BN = 64, BK = 16;
constexpr int TM = 4, TN = 4;
static_assert((BM / TM) * (BN / TN) == 256, "thread count");
}

__global__ void __launch_bounds__(256)
sgemm64(int M, int N, int K,
        const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C)
{
    __shared__ __align__(16) float As[BK][BM];   // A tile, stored with k first
    __shared__ __align__(16) float Bs[BK][BN];

    const int t  = threadIdx.x;
    const int tr = t / (BN / TN);                // 0..15
    const int tc = t % (BN / TN);                // 0..15

    const int aRow = t / 4, aCol = (t % 4) * 4;     // 64 rows x 4 float4
    const int bRow = t / 16, bCol = (t % 16) * 4;   // 16 rows x 16 float4

    const float* aPtr = A + (size_t)(blockIdx.y * BM + aRow) * K + aCol;
    const float* bPtr = B + (size_t)bRow * N + blockIdx.x * BN + bCol;

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        const float4 av = *reinterpret_cast<const float4*>(aPtr);
        const float4 bv = *reinterpret_cast<const float4*>(bPtr);
        As[aCol + 0][aRow] = av.x;
        As[aCol + 1][aRow] = av.y;
        As[aCol + 2][aRow] = av.z;
        As[aCol + 3][aRow] = av.w;
        *reinterpret_cast<float4*>(&Bs[bRow][bCol]) = bv;
        aPtr += BK;
        bPtr += (size_t)BK * N;
        __syncthreads();

#pragma unroll
        for (int kk = 0; kk < BK; ++kk) {
            const float4 a4 = *reinterpret_cast<const float4*>(&As[kk][tr * TM]);
            const float4 b4 = *reinterpret_cast<const float4*>(&Bs[kk][tc * TN]);
            const float ar[TM] = {a4.x, a4.y, a4.z, a4.w};
            const float br[TN] = {b4.x, b4.y, b4.z, b4.w};
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j)
                    acc[i][j] += ar[i] * br[j];
        }
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < TM; ++i) {
        float* dst = C + (size_t)(blockIdx.y * BM + tr * TM + i) * N + blockIdx.x * BN + tc * TN;
        *reinterpret_cast<float4*>(dst) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    }
}
