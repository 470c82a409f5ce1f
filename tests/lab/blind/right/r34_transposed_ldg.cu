/**
 * out = in * weight^T
 *
 * in:     n x d    (row-major)
 * weight: h x d    (row-major, one row per output unit)
 * out:    n x h
 *
 * One thread per output value, thread blocks of 8 x 32 (x over the h outputs,
 * y over the n samples).
 */
template <typename scalar>
__device__ __forceinline__ scalar row_dot(const scalar* __restrict__ p, const scalar* __restrict__ q, int len)
{
    scalar r = 0;
    #pragma unroll 4
    for (int i = 0; i < len; ++i)
        r += __ldg(p + i) * __ldg(q + i);
    return r;
}

__global__ void linear_nobias(const float* __restrict__ in, const float* __restrict__ weight,
                              float* __restrict__ out, int n, int h, int d)
{
    int unit = blockIdx.x * blockDim.x + threadIdx.x;
    int sample = blockIdx.y * blockDim.y + threadIdx.y;
    if (sample < n && unit < h)
        out[sample * h + unit] = row_dot(in + sample * d, weight + unit * d, d);
}
