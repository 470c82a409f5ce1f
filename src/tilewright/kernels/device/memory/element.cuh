// The 16-bit types, and how a float32 sum becomes one of them: rounded once, to the nearest, ties to even.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ __forceinline__ float as_float(float value) { return value; }
__device__ __forceinline__ float as_float(__half value) { return __half2float(value); }
__device__ __forceinline__ float as_float(__nv_bfloat16 value) { return __bfloat162float(value); }

__device__ __forceinline__ void round_into(float& to, float value) { to = value; }
__device__ __forceinline__ void round_into(__half& to, float value) { to = __float2half_rn(value); }
__device__ __forceinline__ void round_into(__nv_bfloat16& to, float value) { to = __float2bfloat16_rn(value); }

// Two neighbours in one register, the first in the lower half.
__device__ __forceinline__ unsigned packed(__half, float first, float second)
{
    __half2 pair = __floats2half2_rn(first, second);
    return *reinterpret_cast<unsigned*>(&pair);
}

__device__ __forceinline__ unsigned packed(__nv_bfloat16, float first, float second)
{
    __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
    return *reinterpret_cast<unsigned*>(&pair);
}
