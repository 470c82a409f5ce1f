// Dot product of two half-precision vectors, accumulated in float.
// Pairs are read as half2, an odd last element is done by one thread.
// x and y must be 4-byte aligned; *out is set to 0 by the caller.
#include <cuda_fp16.h>

template <unsigned THREADS>
__global__ void hdot(const __half *x, const __half *y, float *out, unsigned n)
{
    static_assert((THREADS & (THREADS - 1)) == 0 && THREADS >= 64, "power of two, at least 64");
    __shared__ float buf[THREADS];

    const __half2 *x2 = reinterpret_cast<const __half2 *>(x);
    const __half2 *y2 = reinterpret_cast<const __half2 *>(y);
    const unsigned pairs = n / 2;
    const unsigned gid = blockIdx.x * THREADS + threadIdx.x;

    float sum = 0.f;
    for (unsigned p = gid; p < pairs; p += gridDim.x * THREADS) {
        float2 a = __half22float2(x2[p]);
        float2 b = __half22float2(y2[p]);
        sum += a.x * b.x + a.y * b.y;
    }
    if (gid == 0 && (n & 1u))
        sum += __half2float(x[n - 1]) * __half2float(y[n - 1]);

    buf[threadIdx.x] = sum;
    __syncthreads();

    // tree until 32 values are left ...
    for (unsigned s = THREADS / 2; s >= 32; s >>= 1) {
        if (threadIdx.x < s)
            buf[threadIdx.x] += buf[threadIdx.x + s];
        __syncthreads();
    }

    // ... and the last warp with shuffles
    if (threadIdx.x < 32) {
        float v = buf[threadIdx.x];
        for (int d = 16; d; d >>= 1)
            v += __shfl_xor_sync(0xffffffff, v, d);
        if (threadIdx.x == 0)
            atomicAdd(out, v);
    }
}

template __global__ void hdot<256>(const __half *, const __half *, float *, unsigned);
template __global__ void hdot<64>(const __half *, const __half *, float *, unsigned);
