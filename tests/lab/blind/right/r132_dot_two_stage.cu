// Dot product in two launches. The first one leaves a partial sum per block,
// the second one (a single block) adds these up.
#include <cuda_runtime.h>

__device__ __forceinline__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

// valid in thread 0 only
template <unsigned BLOCK>
__device__ float block_sum(float v)
{
    static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "whole warps");
    __shared__ float per_warp[BLOCK / 32];

    const unsigned lane = threadIdx.x & 31u;
    const unsigned warp = threadIdx.x >> 5;

    v = warp_sum(v);
    if (lane == 0)
        per_warp[warp] = v;
    __syncthreads();

    if (warp == 0) {
        v = lane < BLOCK / 32 ? per_warp[lane] : 0.0f;
        v = warp_sum(v);
    }
    return v;
}

template <unsigned BLOCK>
__global__ void dot_partial(const float *x, const float *y, float *partial, size_t n)
{
    float v = 0.0f;
    for (size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        v += x[i] * y[i];
    v = block_sum<BLOCK>(v);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = v;
}

template <unsigned BLOCK>
__global__ void sum_partial(const float *partial, unsigned count, float *out)
{
    float v = 0.0f;
    for (unsigned i = threadIdx.x; i < count; i += BLOCK)
        v += partial[i];
    v = block_sum<BLOCK>(v);
    if (threadIdx.x == 0)
        *out = v;
}

// scratch: room for 256 floats
void dot(const float *x, const float *y, size_t n, float *scratch, float *out)
{
    size_t blocks = (n + 191) / 192;
    if (blocks > 256) blocks = 256;
    if (blocks == 0) blocks = 1;
    dot_partial<192><<<(unsigned)blocks, 192>>>(x, y, scratch, n);
    sum_partial<64><<<1, 64>>>(scratch, (unsigned)blocks, out);
}
