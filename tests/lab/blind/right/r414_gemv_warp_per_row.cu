// y = alpha * A * x + beta * y,  A row-major M x N with leading dimension lda.
// One warp per row. The vectorised variant is chosen by the launcher only when
// every row of A and the vector x start on a 16-byte boundary.
#include <cuda_runtime.h>
#include <cstdint>

template <int WARPS, bool VEC4>
__global__ void gemv_n(int M, int N, float alpha, const float* __restrict__ A, int lda,
                       const float* __restrict__ x, float beta, float* __restrict__ y)
{
    const int lane = threadIdx.x;                        // blockDim = (32, WARPS)
    const int row = blockIdx.x * WARPS + threadIdx.y;
    if (row >= M) return;                                // the whole warp leaves

    const float* a = A + static_cast<size_t>(row) * lda;
    float sum = 0.f;
    int done = 0;

    if (VEC4) {
        const int quads = N / 4;
        const float4* a4 = reinterpret_cast<const float4*>(a);
        const float4* x4 = reinterpret_cast<const float4*>(x);
        for (int q = lane; q < quads; q += 32) {
            const float4 u = a4[q];
            const float4 v = x4[q];
            sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
        }
        done = quads * 4;
    }
    for (int c = done + lane; c < N; c += 32)            // scalar remainder
        sum += a[c] * x[c];

#pragma unroll
    for (int o = 16; o > 0; o >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, o);

    if (lane == 0)
        y[row] = beta == 0.f ? alpha * sum : alpha * sum + beta * y[row];
}

static bool aligned16(const void* p) { return (reinterpret_cast<std::uintptr_t>(p) & 15) == 0; }

void launch_gemv_n(int M, int N, float alpha, const float* A, int lda,
                   const float* x, float beta, float* y, cudaStream_t stream)
{
    if (M <= 0) return;
    constexpr int WARPS = 8;
    const dim3 block(32, WARPS);
    const dim3 grid((M + WARPS - 1) / WARPS);
    if (aligned16(A) && aligned16(x) && lda % 4 == 0)
        gemv_n<WARPS, true><<<grid, block, 0, stream>>>(M, N, alpha, A, lda, x, beta, y);
    else
        gemv_n<WARPS, false><<<grid, block, 0, stream>>>(M, N, alpha, A, lda, x, beta, y);
}
