#include <cuda_runtime.h>

/*
 * y = A * x,  A is (m x n) row major, one warp per row.
 *
 * Requirements: n % 4 == 0 (we read float4), A and x come from cudaMalloc.
 * Launch:
 *     dim3 block(32, 4);
 *     dim3 grid((m + 3) / 4);
 *     matvec_warp<<<grid, block>>>(A, x, y, m, n);
 */

static __device__ __forceinline__ float dot4(float4 u, float4 v)
{
    return u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
}

__global__ void matvec_warp(const float* __restrict__ A,
                            const float* __restrict__ x,
                            float* __restrict__ y,
                            int m, int n)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= m)
        return;             // threadIdx.y is constant in a warp: the whole warp leaves

    const float4* a4 = reinterpret_cast<const float4*>(A + (size_t)row * n);
    const float4* x4 = reinterpret_cast<const float4*>(x);

    float sum = 0.0f;
    for (int c = threadIdx.x; c < n / 4; c += 32)
        sum += dot4(a4[c], x4[c]);

    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, offset);

    if (threadIdx.x == 0)
        y[row] = sum;
}
