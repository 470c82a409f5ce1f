#include <cuda_fp16.h>

// Dot product of half vectors, accumulated in float.
// Both pointers 4-byte aligned; n may be odd.  *out is cleared by the wrapper.
__global__ void hdot(const __half* __restrict__ x, const __half* __restrict__ y, int n, float* out)
{
    const __half2* x2 = (const __half2*)x;
    const __half2* y2 = (const __half2*)y;
    const int pairs = n >> 1;
    const int gid   = blockIdx.x * blockDim.x + threadIdx.x;

    float s = 0.f;
    for (int i = gid; i < pairs; i += gridDim.x * blockDim.x) {
        const float2 a = __half22float2(x2[i]);
        const float2 b = __half22float2(y2[i]);
        s = fmaf(a.x, b.x, s);
        s = fmaf(a.y, b.y, s);
    }
    if ((n & 1) && gid == 0) s += __half2float(x[n - 1]) * __half2float(y[n - 1]);

    for (int d = 1; d < warpSize; d <<= 1) s += __shfl_down_sync(0xFFFFFFFFu, s, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(out, s);
}

void half_dot(const __half* x, const __half* y, int n, float* out, cudaStream_t st)
{
    cudaMemsetAsync(out, 0, sizeof(float), st);
    hdot<<<80, 224, 0, st>>>(x, y, n, out);
}
