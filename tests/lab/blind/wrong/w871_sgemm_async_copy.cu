#include <cuda_runtime.h>
#include <cuda_pipeline.h>

// Row-major C = A * B on 64 x 64 tiles, K in steps of 16, two buffers filled with cp.async.
// Requires M % 64 == 0, N % 64 == 0, K % 16 == 0 (K >= 16), 16-byte aligned pointers.
// grid (N / 64, M / 64), block 256
__global__ void __launch_bounds__(256)
sgemm_async(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
            int N, int K)
{
    __shared__ __align__(16) float As[2][64][20];
    __shared__ __align__(16) float Bs[2][16][64];

    const int t = threadIdx.x;
    const int ar = t >> 2, ac = (t & 3) * 4;
    const int br = t >> 4, bc = (t & 15) * 4;
    const float* gA = A + (size_t)(blockIdx.y * 64 + ar) * K + ac;
    const float* gB = B + (size_t)br * N + blockIdx.x * 64 + bc;

    auto fetch = [&](int step, int buf) {
        __pipeline_memcpy_async(&As[buf][ar][ac], gA + step * 16, 16);
        __pipeline_memcpy_async(&Bs[buf][br][bc], gB + (size_t)step * 16 * N, 16);
        __pipeline_commit();
    };

    const int ty = (t >> 4) * 4, tx = (t & 15) * 4;
    float acc[4][4] = {};
    const int steps = K / 16;

    fetch(0, 0);
    for (int s = 0; s < steps; ++s) {
        const int cur = s & 1;
        if (s + 1 < steps)
            fetch(s + 1, cur ^ 1);
        __pipeline_wait_prior(1);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float4 b = *reinterpret_cast<const float4*>(&Bs[cur][k][tx]);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float a = As[cur][ty + i][k];
                acc[i][0] += a * b.x;
                acc[i][1] += a * b.y;
                acc[i][2] += a * b.z;
                acc[i][3] += a * b.w;
            }
        }
        __syncthreads();
    }

    float* c = C + (size_t)(blockIdx.y * 64 + ty) * N + blockIdx.x * 64 + tx;
#pragma unroll
    for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4*>(c + (size_t)i * N) =
            make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}
