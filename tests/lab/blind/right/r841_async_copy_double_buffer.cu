/*
 * fp32 GEMM, row-major, two shared-memory stages filled by cp.async.
 * Requirements: M and N are positive multiples of 64, K is a positive multiple of 16,
 * all three pointers are 16-byte aligned.
 * Launch: grid (N/64, M/64), 256 threads in x.
 */
#include <cuda_pipeline.h>

constexpr int TM = 64, TN = 64, TK = 16;

struct Stage {
    float a[TM][TK];
    float b[TK][TN];
};

__device__ __forceinline__ void fetch(Stage& st, const float* gA, const float* gB, int K, int N)
{
    const int t = threadIdx.x;
    // a: 64 rows of 4 float4;  b: 16 rows of 16 float4 -> one of each per thread
    const int ar = t >> 2, ac = (t & 3) << 2;
    const int br = t >> 4, bc = (t & 15) << 2;
    __pipeline_memcpy_async(&st.a[ar][ac], gA + (size_t)ar * K + ac, 16);
    __pipeline_memcpy_async(&st.b[br][bc], gB + (size_t)br * N + bc, 16);
}

__global__ void __launch_bounds__(256)
gemm_async(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
           int M, int N, int K)
{
    __shared__ __align__(16) Stage stage[2];

    const float* gA = A + (size_t)blockIdx.y * TM * K;
    const float* gB = B + (size_t)blockIdx.x * TN;
    const int r0 = (threadIdx.x >> 4) * 4;
    const int c0 = (threadIdx.x & 15) * 4;
    const int tiles = K / TK;

    float acc[4][4] = {};

    fetch(stage[0], gA, gB, K, N);
    __pipeline_commit();

    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) {
            gA += TK;
            gB += (size_t)TK * N;
            fetch(stage[(t + 1) & 1], gA, gB, K, N);
        }
        __pipeline_commit();              // possibly an empty batch: keeps the count regular
        __pipeline_wait_prior(1);         // tile t has landed, t+1 may be in flight
        __syncthreads();

        const Stage& s = stage[t & 1];
#pragma unroll
        for (int k = 0; k < TK; ++k) {
            const float4 b = *reinterpret_cast<const float4*>(&s.b[k][c0]);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float a = s.a[r0 + i][k];
                acc[i][0] += a * b.x;
                acc[i][1] += a * b.y;
                acc[i][2] += a * b.z;
                acc[i][3] += a * b.w;
            }
        }
        __syncthreads();                  // stage t&1 gets refilled in the next iteration
    }

    float* c = C + ((size_t)blockIdx.y * TM + r0) * N + blockIdx.x * TN + c0;
#pragma unroll
    for (int i = 0; i < 4; ++i, c += N)
        *reinterpret_cast<float4*>(c) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
