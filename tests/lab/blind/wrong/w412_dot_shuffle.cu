// Dot product: grid-stride loop, warp shuffles, one atomicAdd per block.
// *result must be zero before the launch.
//    dot<256><<<blocks, 256>>>(x, y, n, result);
#include <cuda_runtime.h>

template <typename T>
__device__ __forceinline__ T warpSum(T v)
{
    #pragma unroll
    for (int o = 16; o > 0; o >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
}

template <int THREADS>
__global__ void dot(const double* __restrict__ x, const double* __restrict__ y,
                    size_t n, double* result)
{
    static_assert(THREADS % 32 == 0 && THREADS <= 1024, "unsupported block size");
    constexpr int WARPS = THREADS / 32;
    __shared__ double part[WARPS];

    double acc = 0.0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * THREADS)
        acc += x[i] * y[i];

    acc = warpSum(acc);
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    if (lane == 0) part[warp] = acc;
    __syncthreads();

    if (warp == 0) {
        acc = lane < WARPS / 2 ? part[lane] : 0.0;
        acc = warpSum(acc);
        if (lane == 0) atomicAdd(result, acc);
    }
}
