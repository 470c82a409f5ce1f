// Vectorised sgemm.
// Requirements: M % 64 == 0, N % 64 == 0, K % 16 == 0, pointers 16-byte aligned
// (cudaMalloc gives that).  Launch: grid (N/64, M/64), 256 threads in one dimension.
#include <cuda_runtime.h>

typedef unsigned int u32;

__global__ __launch_bounds__(256)
void sgemm_vec(const float* __restrict__ A, const float* __restrict__ B,
               float* __restrict__ C, u32 M, u32 N, u32 K)
{
    __shared__ __align__(16) float at[16][68];   // A tile, transposed: at[k][row]
    __shared__ __align__(16) float bt[16][64];   // B tile: bt[k][col]

    const u32 t = threadIdx.x;
    const u32 aRow = t >> 2, aVec = (t & 3) << 2;
    const u32 bRow = t >> 4, bVec = (t & 15) << 2;
    const u32 outR = (t >> 4) << 2, outC = (t & 15) << 2;

    const float* aPtr = A + (size_t)(blockIdx.y * 64 + aRow) * K + aVec;
    const float* bPtr = B + (size_t)bRow * N + blockIdx.x * 64 + bVec;

    float4 s0 = make_float4(0, 0, 0, 0), s1 = s0, s2 = s0, s3 = s0;

    for (u32 k = 0; k < K; k += 16) {
        const float4 va = *reinterpret_cast<const float4*>(aPtr);
        const float4 vb = *reinterpret_cast<const float4*>(bPtr);
        aPtr += 16;
        bPtr += (size_t)16 * N;

        __syncthreads();
        at[aVec + 0][aRow] = va.x;
        at[aVec + 1][aRow] = va.y;
        at[aVec + 2][aRow] = va.z;
        at[aVec + 3][aRow] = va.w;
        *reinterpret_cast<float4*>(&bt[bRow][bVec]) = vb;
        __syncthreads();

#pragma unroll
        for (u32 q = 0; q < 16; ++q) {
            const float4 x = *reinterpret_cast<const float4*>(&at[q][outR]);
            const float4 y = *reinterpret_cast<const float4*>(&bt[q][outC]);
            s0.x += x.x * y.x; s0.y += x.x * y.y; s0.z += x.x * y.z; s0.w += x.x * y.w;
            s1.x += x.y * y.x; s1.y += x.y * y.y; s1.z += x.y * y.z; s1.w += x.y * y.w;
            s2.x += x.z * y.x; s2.y += x.z * y.y; s2.z += x.z * y.z; s2.w += x.z * y.w;
            s3.x += x.w * y.x; s3.y += x.w * y.y; s3.z += x.w * y.z; s3.w += x.w * y.w;
        }
    }

    float* out = C + (size_t)(blockIdx.y * 64 + outR) * N + blockIdx.x * 64 + outC;
    *reinterpret_cast<float4*>(out) = s0;
    *reinterpret_cast<float4*>(out + N) = s1;
    *reinterpret_cast<float4*>(out + 2 * (size_t)N) = s2;
    *reinterpret_cast<float4*>(out + 3 * (size_t)N) = s3;
}
