// y = alpha * A * x + beta * y, one warp per row, rows read as float4.
// A has m rows and n columns; consecutive rows are lda floats apart, lda is a
// multiple of 4 and lda >= n. A and x are 16-byte aligned, y holds finite numbers on entry.
// m, n in [1, 100000].
#include <cuda_runtime.h>

constexpr int kWarp = 32;
constexpr int kWarpsPerBlock = 4;

__device__ __forceinline__ float dot4(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__global__ void gemvRows(const float* __restrict__ A, size_t lda, const float* __restrict__ x,
                         float* __restrict__ y, int m, int n, float alpha, float beta)
{
    const int lane = threadIdx.x;
    const int row = blockIdx.x * kWarpsPerBlock + threadIdx.y;
    if (row >= m) return;

    const float* a = A + row * lda;
    const float4* a4 = reinterpret_cast<const float4*>(a);
    const float4* x4 = reinterpret_cast<const float4*>(x);
    const int quads = n / 4;

    float sum = 0.0f;
    for (int c = lane; c < quads; c += kWarp)
        sum += dot4(a4[c], x4[c]);

    // up to three columns are left
    for (int c = 4 * quads; c < n; ++c)
        sum += a[c] * x[c];

    for (int d = kWarp / 2; d > 0; d >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, d);

    if (lane == 0)
        y[row] = alpha * sum + beta * y[row];
}

struct GemvArgs {
    const float* A;
    size_t lda;
    const float* x;
    float* y;
    int m, n;
    float alpha, beta;
};

cudaError_t gemv(const GemvArgs& g, cudaStream_t stream)
{
    const dim3 block(kWarp, kWarpsPerBlock);
    const unsigned grid = (g.m + kWarpsPerBlock - 1) / kWarpsPerBlock;
    gemvRows<<<grid, block, 0, stream>>>(g.A, g.lda, g.x, g.y, g.m, g.n, g.alpha, g.beta);
    return cudaGetLastError();
}
