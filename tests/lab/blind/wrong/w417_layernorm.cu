// LayerNorm forward: y = (x - mean) / sqrt(var + eps) * gamma + beta
// x, y: rows x d, row-major. One block per row, BLOCK threads (power of two).
//   layernorm<256><<<rows, 256>>>(x, gamma, beta, y, d, 1e-5f);
#include <cuda_runtime.h>

template <int BLOCK>
__device__ float blockSum(float v, float (&red)[BLOCK])
{
    const int t = threadIdx.x;
    red[t] = v;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (t < s)
            red[t] += red[t + s];
        __syncthreads();
    }
    return red[0];
}

template <int BLOCK>
__global__ void layernorm(const float* __restrict__ x, const float* __restrict__ gamma,
                          const float* __restrict__ beta, float* __restrict__ y,
                          int d, float eps)
{
    __shared__ float red[BLOCK];
    const float* xr = x + (size_t)blockIdx.x * d;
    float* yr = y + (size_t)blockIdx.x * d;

    float s = 0.f;
    for (int i = threadIdx.x; i < d; i += BLOCK)
        s += xr[i];
    const float mean = blockSum<BLOCK>(s, red) / d;

    float q = 0.f;
    for (int i = threadIdx.x; i < d; i += BLOCK) {
        const float c = xr[i] - mean;
        q += c * c;
    }
    const float rstd = rsqrtf(blockSum<BLOCK>(q, red) / d + eps);

    for (int i = threadIdx.x; i < d; i += BLOCK)
        yr[i] = (xr[i] - mean) * rstd * gamma[i] + beta[i];
}
