// C = A^T B con bloques de registros de 4x4.
// A es K x M, B es K x N, C es M x N, todo por filas.
// Se supone M y N múltiplos de 64 y K múltiplo de 16 (máximo 32768 cada uno),
// y memoria alineada a 16 bytes.
//
//   dim3 rejilla(N / 64, M / 64);
//   atb<<<rejilla, 256>>>(A, B, C, M, N, K);
#include <cuda_runtime.h>

constexpr int BM = 64;
constexpr int BN = 64;
constexpr int BK = 16;

__global__ void __launch_bounds__(256)
atb(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
    int M, int N, int K)
{
    __shared__ __align__(16) float As[BK][BM];
    __shared__ __align__(16) float Bs[BK][BN];

    const int tid = threadIdx.x;
    const int tx = tid % 16;            // 4 columnas de C
    const int ty = tid / 16;            // 4 filas de C

    // como A está traspuesta, las dos teselas se cargan igual: 16 float4 por fila
    const float* a = A + static_cast<size_t>(ty) * M + blockIdx.y * BM + tx * 4;
    const float* b = B + static_cast<size_t>(ty) * N + blockIdx.x * BN + tx * 4;
    const size_t saltoA = static_cast<size_t>(BK) * M;
    const size_t saltoB = static_cast<size_t>(BK) * N;

    float acc[4][4] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        *reinterpret_cast<float4*>(&As[ty][tx * 4]) = *reinterpret_cast<const float4*>(a);
        *reinterpret_cast<float4*>(&Bs[ty][tx * 4]) = *reinterpret_cast<const float4*>(b);
        a += saltoA;
        b += saltoB;
        __syncthreads();

#pragma unroll
        for (int k = 0; k < BK; ++k) {
            const float4 va = *reinterpret_cast<const float4*>(&As[k][ty * 4]);
            const float4 vb = *reinterpret_cast<const float4*>(&Bs[k][tx * 4]);
            const float ra[4] = {va.x, va.y, va.z, va.w};
            const float rb[4] = {vb.x, vb.y, vb.z, vb.w};
#pragma unroll
            for (int r = 0; r < 4; ++r)
#pragma unroll
                for (int s = 0; s < 4; ++s)
                    acc[r][s] = fmaf(ra[r], rb[s], acc[r][s]);
        }
        __syncthreads();
    }

    float* c = C + static_cast<size_t>(blockIdx.y * BM + ty * 4) * N + blockIdx.x * BN + tx * 4;
#pragma unroll
    for (int r = 0; r < 4; ++r, c += N)
        *reinterpret_cast<float4*>(c) =
            make_float4(acc[r][0], acc[r][1], acc[r][2], acc[r][3]);
}
