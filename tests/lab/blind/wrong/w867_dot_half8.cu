#include <cuda_fp16.h>

// ضرب داخلی دو بردار half با جمع در float.
// x و y هم‌تراز ۱۶ بایتی هستند؛ n هر عددی می‌تواند باشد.
// natije پیش از اجرا صفر شده است. اندازهٔ بلوک مضربی از ۳۲ است.

__device__ __forceinline__ float jam2(unsigned a, unsigned b)
{
    const float2 fa = __half22float2(*reinterpret_cast<const __half2 *>(&a));
    const float2 fb = __half22float2(*reinterpret_cast<const __half2 *>(&b));
    return fa.x * fb.x + fa.y * fb.y;
}

__global__ void zarb_dakheli(const __half *__restrict__ x, const __half *__restrict__ y,
                             float *natije, int n)
{
    const uint4 *x8 = reinterpret_cast<const uint4 *>(x);
    const uint4 *y8 = reinterpret_cast<const uint4 *>(y);
    const int shomare = blockIdx.x * blockDim.x + threadIdx.x;
    const int gam = gridDim.x * blockDim.x;
    float s = 0.f;

    for (int i = shomare; i < n / 8; i += gam) {
        const uint4 p = x8[i];
        const uint4 q = y8[i];
        s += jam2(p.x, q.x) + jam2(p.y, q.y) + jam2(p.z, q.z) + jam2(p.w, q.w);
    }
    if (shomare == 0 && (n & 1))
        s += __half2float(x[n - 1]) * __half2float(y[n - 1]);

    for (int d = 16; d > 0; d >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, d);
    if ((threadIdx.x & 31) == 0)
        atomicAdd(natije, s);
}
