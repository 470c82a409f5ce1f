#include <cuda_fp16.h>

// n must be even. blockDim.x a power of two, one float of dynamic shared
// memory per thread. *out has to be cleared before the launch:
//   dotHalf<<<32, 256, 256 * sizeof(float)>>>(a, b, out, n);
__global__ void dotHalf(const __half *a, const __half *b, float *out, int n)
{
    extern __shared__ float red[];
    const __half2 *pa = reinterpret_cast<const __half2 *>(a);
    const __half2 *pb = reinterpret_cast<const __half2 *>(b);

    float acc = 0.0f;
    int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += stride) {
        float2 u = __half22float2(pa[i]);
        float2 v = __half22float2(pb[i]);
        acc += u.x * v.x;
        acc += u.y * v.y;
    }

    red[threadIdx.x] = acc;
    __syncthreads();
    for (int s = blockDim.x >> 1; s; s >>= 1) {
        if (threadIdx.x < s)
            red[threadIdx.x] += red[threadIdx.x + s];
        __syncthreads();
    }
    if (!threadIdx.x)
        atomicAdd(out, red[0]);
}
