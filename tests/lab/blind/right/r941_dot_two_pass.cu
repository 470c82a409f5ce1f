#include <cuda_runtime.h>

enum { THREADS = 256, MAXBLOCKS = 128 };

__device__ __forceinline__ float blockSum(float v)
{
    __shared__ float box[THREADS];
    box[threadIdx.x] = v;
    for (int d = 1; d < THREADS; d <<= 1) {
        __syncthreads();
        int idx = 2 * d * threadIdx.x;
        if (idx + d < THREADS)
            box[idx] += box[idx + d];
    }
    __syncthreads();
    return box[0];
}

__global__ void dotPartials(const float *u, const float *v, float *partial, size_t len)
{
    float mine = 0.0f;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < len; i += stride)
        mine += u[i] * v[i];
    float s = blockSum(mine);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = s;
}

__global__ void sumPartials(const float *partial, float *out, int count)
{
    float mine = 0.0f;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        mine += partial[i];
    float s = blockSum(mine);
    if (threadIdx.x == 0)
        out[0] = s;
}

// scratch: room for MAXBLOCKS floats on the device
void dot(const float *u, const float *v, float *scratch, float *out, size_t len)
{
    size_t want = (len + THREADS - 1) / THREADS;
    int blocks = want > MAXBLOCKS ? MAXBLOCKS : (want < 1 ? 1 : (int)want);
    dotPartials<<<blocks, THREADS>>>(u, v, scratch, len);
    sumPartials<<<1, THREADS>>>(scratch, out, blocks);
}
