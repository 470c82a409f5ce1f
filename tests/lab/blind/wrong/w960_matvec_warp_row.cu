// One warp per row, float4 reads where they fit, the remaining columns one by one.
// Rows start at multiples of ld, ld a multiple of 4 and >= cols; A and x from cudaMalloc.
#include <cuda_runtime.h>

constexpr int WARPS = 4;

__global__ void sgemv_warp(const float* __restrict__ A, int ld, const float* __restrict__ x,
                           float* __restrict__ y, int rows, int cols)
{
    const int lane = threadIdx.x % 32;
    const int row = blockIdx.x * WARPS + threadIdx.x / 32;
    if (row >= rows)
        return;

    const float4* a4 = reinterpret_cast<const float4*>(A + (size_t)row * ld);
    const float4* x4 = reinterpret_cast<const float4*>(x);
    const int quads = cols / 4;
    float s = 0.f;
    for (int q = lane; q < quads; q += 32) {
        float4 u = a4[q], v = x4[q];
        s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    for (int c = 4 * quads + lane; c < cols; c += 32)
        s += A[(size_t)row * ld + c] * x[c];

    for (int d = 16; d > 0; d >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, d);
    if (threadIdx.x == 0)
        y[row] = s;
}

void sgemv(const float* A, int ld, const float* x, float* y, int rows, int cols)
{
    sgemv_warp<<<(rows + WARPS - 1) / WARPS, WARPS * 32>>>(A, ld, x, y, rows, cols);
}
