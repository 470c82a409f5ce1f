// sgemm_regtile_v2
// C = A * B, row-major, float.  Register tile 4x4, block tile 64x64x16, float4 loads.
// Requirements (checked by caller): M % 64 == 0, N % 64 == 0, K % 16 == 0,
// pointers 16-byte aligned (plain cudaMalloc is fine).
//
//   sgemm_v2<<<dim3(N / 64, M / 64), 256>>>(dA, dB, dC, M, N, K);
#include <cuda_runtime.h>

#define BM 64
#define BN 64
#define BK 16

__global__ __launch_bounds__(256)
void sgemm_v2(const float* __restrict__ A, const float* __restrict__ B,
              float* __restrict__ C, int M, int N, int K)
{
    __shared__ __align__(16) float As[BK][BM + 4];   // stored transposed
    __shared__ __align__(16) float Bs[BK][BN];

    const int tid = threadIdx.x;

    // global -> shared mapping: one float4 of A and one of B per thread
    const int aRow = tid / (BK / 4);          // 0..63
    const int aCol = (tid % (BK / 4)) * 4;    // 0,4,8,12
    const int bRow = tid / (BN / 4);          // 0..15
    const int bCol = (tid % (BN / 4)) * 4;    // 0..60

    const float* Ap = A + (size_t)(blockIdx.y * BM + aRow) * K + aCol;
    const float* Bp = B + (size_t)bRow * N + blockIdx.x * BN + bCol;

    // compute mapping
    const int r0 = (tid / 16) * 4;
    const int c0 = (tid % 16) * 4;

    float acc[4][4];
    #pragma unroll
    for (int i = 0; i < 4; ++i)
        #pragma unroll
        for (int j = 0; j < 4; ++j)
            acc[i][j] = 0.f;

    for (int k0 = 0; k0 < K; k0 += BK) {
        const float4 a = *reinterpret_cast<const float4*>(Ap);
        As[aCol + 0][aRow] = a.x;
        As[aCol + 1][aRow] = a.y;
        As[aCol + 2][aRow] = a.z;
        As[aCol + 3][aRow] = a.w;
        *reinterpret_cast<float4*>(&Bs[bRow][bCol]) =
            *reinterpret_cast<const float4*>(Bp);
        Ap += BK;
        Bp += (size_t)BK * N;
        __syncthreads();

        #pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 av = *reinterpret_cast<const float4*>(&As[k][r0]);
            const float4 bv = *reinterpret_cast<const float4*>(&Bs[k][c0]);
            const float ar[4] = {av.x, av.y, av.z, av.w};
            const float br[4] = {bv.x, bv.y, bv.z, bv.w};
            #pragma unroll
            for (int i = 0; i < 4; ++i)
                #pragma unroll
                for (int j = 0; j < 4; ++j)
                    acc[i][j] = fmaf(ar[i], br[j], acc[i][j]);
        }
    }

    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        float4 out = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
        *reinterpret_cast<float4*>(
            &C[(size_t)(blockIdx.y * BM + r0 + i) * N + blockIdx.x * BN + c0]) = out;
    }
}
