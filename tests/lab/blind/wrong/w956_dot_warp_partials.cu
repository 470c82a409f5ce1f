// dot product: warp shuffles, then the warps' sums, then one atomicAdd per block
// *out has to be 0 before the launch; blockDim.x is any multiple of 32 up to 1024
#include <cuda_runtime.h>

template <class R>
__device__ R lanes(R v)
{
    #pragma unroll
    for (int step = 16; step >= 1; step >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, step);
    return v;
}

template <class R>
__global__ void dotk(const R* __restrict__ p, const R* __restrict__ q, int n, R* out)
{
    __shared__ R warpSums[32];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;

    R v = R(0);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v += p[i] * q[i];

    v = lanes(v);
    if (lane == 0)
        warpSums[w] = v;
    __syncthreads();

    if (w == 0) {
        v = lanes(warpSums[lane]);
        if (lane == 0)
            atomicAdd(out, v);
    }
}

void dot(const float* p, const float* q, int n, float* out)
{
    cudaMemset(out, 0, sizeof(float));
    dotk<float><<<64, 256>>>(p, q, n, out);
}

void dot(const double* p, const double* q, int n, double* out)
{
    cudaMemset(out, 0, sizeof(double));
    dotk<double><<<32, 512>>>(p, q, n, out);
}
