// y = alpha * x + y in half precision, two elements per instruction; an odd last element is left to thread 0.

#include <cuda_fp16.h>

extern "C" __global__ void half_saxpy(const __half* x, __half* y, float alpha, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half factor = __float2half(alpha);
    if (i < count / 2) {
        __half2 from = reinterpret_cast<const __half2*>(x)[i];
        __half2* to = reinterpret_cast<__half2*>(y) + i;
        *to = __hfma2(__half2half2(factor), from, *to);
    }
    if (i == 0 && count % 2) y[count - 1] = __hfma(factor, x[count - 1], y[count - 1]);
}
