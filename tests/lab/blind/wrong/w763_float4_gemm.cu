// Vectorised matrix product, C = A * B, row-major.
// Requirements: M and N multiples of 64, K a multiple of 16, pointers from cudaMalloc.
// Launch: block of 256 threads (1-D), grid (N / 64, M / 64).
#include <cuda_runtime.h>

constexpr int BM = 64;   // rows of C per block
constexpr int BN = 64;   // columns of C per block
constexpr int BK = 16;   // depth of one step
constexpr int TM = 4;    // rows per thread
constexpr int TN = 4;    // columns per thread

__device__ __forceinline__ void fma4(float4 &acc, float a, const float4 &b)
{
    acc.x = fmaf(a, b.x, acc.x);
    acc.y = fmaf(a, b.y, acc.y);
    acc.z = fmaf(a, b.z, acc.z);
    acc.w = fmaf(a, b.w, acc.w);
}

__global__ void __launch_bounds__(256)
sgemm_vec4(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C,
           int M, int N, int K)
{
    __shared__ float  As[BK][BM + 4];      // stored transposed
    __shared__ float4 Bs[BK][BN / 4];

    const int tid = threadIdx.x;
    const int tr = tid / (BN / TN);        // 0 .. 15
    const int tc = tid % (BN / TN);        // 0 .. 15
    const int row0 = blockIdx.y * BM;
    const int col0 = blockIdx.x * BN;

    // every thread loads one float4 of A and one of B per step
    const int a_row = tid / (BK / 4);      // 0 .. 63
    const int a_col = tid % (BK / 4) * 4;  // 0, 4, 8, 12
    const int b_row = tid / (BN / 4);      // 0 .. 15
    const int b_col = tid % (BN / 4);      // in units of float4

    float4 acc[TM];
    for (int i = 0; i < TM; ++i)
        acc[i] = make_float4(0.f, 0.f, 0.f, 0.f);

    for (int k0 = 0; k0 < K - BK; k0 += BK) {
        const float4 va = *reinterpret_cast<const float4 *>(
            A + (size_t)(row0 + a_row) * K + k0 + a_col);
        As[a_col + 0][a_row] = va.x;
        As[a_col + 1][a_row] = va.y;
        As[a_col + 2][a_row] = va.z;
        As[a_col + 3][a_row] = va.w;
        Bs[b_row][b_col] = *reinterpret_cast<const float4 *>(
            B + (size_t)(k0 + b_row) * N + col0 + b_col * 4);
        __syncthreads();

#pragma unroll
        for (int p = 0; p < BK; ++p) {
            const float4 vb = Bs[p][tc];
#pragma unroll
            for (int i = 0; i < TM; ++i)
                fma4(acc[i], As[p][tr * TM + i], vb);
        }
        __syncthreads();
    }

    for (int i = 0; i < TM; ++i) {
        float *dst = C + (size_t)(row0 + tr * TM + i) * N + col0 + tc * TN;
        *reinterpret_cast<float4 *>(dst) = acc[i];
    }
}
