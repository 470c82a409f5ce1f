// Dot product, one warp per 32-element tile, warps add their sums atomically.
// Launch: dotWarps<<<(n + 255) / 256, 256>>>(a, b, sum, n) with *sum = 0
__device__ float warpReduce(float v)
{
    for (int off = 8; off > 0; off >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, off);
    return v;
}

__global__ void dotWarps(const float *__restrict__ a,
                         const float *__restrict__ b,
                         float *__restrict__ sum,
                         int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    // threads behind the end take part with zero
    float v = 0.0f;
    if (i < n)
        v = __ldg(a + i) * __ldg(b + i);

    v = warpReduce(v);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(sum, v);
}
