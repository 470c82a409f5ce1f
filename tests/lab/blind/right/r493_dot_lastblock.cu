#include <cuda_runtime.h>

// One-pass dot product.  Each block leaves a partial sum in scratch; the block
// that finishes last adds them all in a fixed order, so results are repeatable.
//
//   scratch : at least gridDim.x floats
//   ticket  : one unsigned, zero before the first call (it is zero again after each)
//
// blockDim.x must be a multiple of 32 (up to 1024), gridDim.x is free.
// Calls sharing scratch and ticket must not overlap.

#define FULL 0xffffffffu

__device__ float warpSum(float v)
{
    v += __shfl_down_sync(FULL, v, 16);
    v += __shfl_down_sync(FULL, v, 8);
    v += __shfl_down_sync(FULL, v, 4);
    v += __shfl_down_sync(FULL, v, 2);
    v += __shfl_down_sync(FULL, v, 1);
    return v;
}

// valid in thread 0 only
__device__ float blockSum(float v)
{
    __shared__ float part[32];
    const int lane = threadIdx.x & 31;
    const int wid = threadIdx.x >> 5;

    v = warpSum(v);
    __syncthreads();              // part may still be in use by an earlier call
    if (lane == 0) part[wid] = v;
    __syncthreads();
    if (wid == 0) {
        v = (lane < (int)(blockDim.x >> 5)) ? part[lane] : 0.0f;
        v = warpSum(v);
    }
    return v;
}

__global__ void dotOnePass(const float *u, const float *v, long long n,
                           volatile float *scratch, unsigned *ticket, float *out)
{
    __shared__ bool amLast;
    const long long step = (long long)gridDim.x * blockDim.x;
    float s = 0.0f;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        s = fmaf(u[i], v[i], s);

    s = blockSum(s);
    if (threadIdx.x == 0) {
        scratch[blockIdx.x] = s;
        __threadfence();
        // wraps to zero when the last block takes its number
        amLast = (atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1);
        __threadfence();
    }
    __syncthreads();

    if (amLast) {
        s = 0.0f;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
            s += scratch[b];
        s = blockSum(s);
        if (threadIdx.x == 0) *out = s;
    }
}
