// Final project, building block 2: layer normalisation over the last dimension.
//   y[r][c] = gamma[c] * (x[r][c] - mean_r) / sqrt(var_r + eps) + beta[c]
// One block per row; blockDim.x is a multiple of 32, between 32 and 1024.
// dim >= 1, any number of rows.
//
// Typical launch:  layer_norm<<<rows, 256>>>(x, gamma, beta, y, dim, 1e-5f);
#include <cuda_runtime.h>

#define FULL_MASK 0xffffffffu

__device__ __forceinline__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_xor_sync(FULL_MASK, v, offset);
    return v;
}

// Sum over all threads of the block, returned to every thread.
__device__ float block_sum(float v)
{
    __shared__ float partial[32];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    const int warps = blockDim.x >> 5;

    v = warp_sum(v);
    if (lane == 0)
        partial[warp] = v;
    __syncthreads();

    // every warp adds up the partial sums on its own
    v = (lane < warps) ? partial[lane] : 0.0f;
    return warp_sum(v);
}

__global__ void layer_norm(const float* __restrict__ x,
                           const float* __restrict__ gamma,
                           const float* __restrict__ beta,
                           float* __restrict__ y,
                           int dim, float eps)
{
    const float* xr = x + (size_t)blockIdx.x * dim;
    float* yr = y + (size_t)blockIdx.x * dim;

    float s = 0.0f;
    for (int c = threadIdx.x; c < dim; c += blockDim.x)
        s += xr[c];
    const float mean = block_sum(s) / dim;

    // two-pass variance: more accurate than E[x^2] - mean^2
    float q = 0.0f;
    for (int c = threadIdx.x; c < dim; c += blockDim.x) {
        const float d = xr[c] - mean;
        q += d * d;
    }
    const float var = block_sum(q) / dim;
    const float inv = rsqrtf(var + eps);

    for (int c = threadIdx.x; c < dim; c += blockDim.x)
        yr[c] = gamma[c] * (xr[c] - mean) * inv + beta[c];
}
