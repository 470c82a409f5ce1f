// Dot product of two vectors with warp shuffles. *out has to be zero before.
// Launch: 1-D, 256 threads per block, some blocks (e.g. 80), any len.

__device__ float reduce_warp(float v)
{
#pragma unroll
    for (int d = 16; d >= 1; d /= 2)
        v += __shfl_xor_sync(0xFFFFFFFF, v, d);
    return v;
}

__global__ void dot_product(float* out, const float* __restrict__ u, const float* __restrict__ v, unsigned int len)
{
    __shared__ float warp_results[32];

    unsigned int lane = threadIdx.x & 31u;
    unsigned int warp = threadIdx.x >> 5;

    float s = 0.0f;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < len; i += gridDim.x * blockDim.x)
        s += u[i] * v[i];

    s = reduce_warp(s);
    if (lane == 0) warp_results[warp] = s;
    __syncthreads();

    // first warp adds the results of the others
    if (warp == 0) {
        unsigned int numWarps = blockDim.x / 32;
        float t = (lane < numWarps) ? warp_results[lane] : 0.0f;
        t = reduce_warp(t);
        if (lane == 0) atomicAdd(out, t);
    }
}
