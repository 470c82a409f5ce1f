// The epilogue: what happens to a sum before it is stored.
//
//   C[i, j] = activation(alpha * sum + beta * addend[i, j] + bias[j]), in float32, rounded once to the type of C.
//
// Macros, all with defaults: ELEMENT, the type of A and B (__half or __nv_bfloat16); OUTPUT, that of C, the addend and
// the bias (ELEMENT or float); HAS_ADDEND and HAS_BIAS (0 or 1); ACTIVATION (0 none, 1 relu, 2 gelu, 3 silu).
// A kernel that uses it ends its parameters with those of EPILOGUE_PARAMETERS, in this order; without an addend or a
// bias their addresses are 0 and never read: NaN in memory that beta = 0 ignores stays there.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#ifndef ELEMENT
#define ELEMENT __half
#endif
#ifndef OUTPUT
#define OUTPUT ELEMENT
#endif
#ifndef HAS_ADDEND
#define HAS_ADDEND 0
#endif
#ifndef HAS_BIAS
#define HAS_BIAS 0
#endif
#ifndef ACTIVATION
#define ACTIVATION 0
#endif

#define EPILOGUE_PARAMETERS                                                                                       \
    float alpha, float beta, const OUTPUT *addend, long long addend_row_stride, long long addend_column_stride, \
        long long addend_batch_stride_0, long long addend_batch_stride_1, const OUTPUT *bias

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(__half value) { return __half2float(value); }
__device__ inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }

template <typename To> __device__ inline To rounded(float value);
template <> __device__ inline float rounded<float>(float value) { return value; }
template <> __device__ inline __half rounded<__half>(float value) { return __float2half_rn(value); }
template <> __device__ inline __nv_bfloat16 rounded<__nv_bfloat16>(float value) { return __float2bfloat16_rn(value); }

// NaN stays NaN in all of them. gelu is the exact one, with the error function.
__device__ inline float activated(float value)
{
#if ACTIVATION == 1
    return value < 0.0f ? 0.0f : value;
#elif ACTIVATION == 2
    return 0.5f * value * (1.0f + erff(value * 0.70710678118654752f));
#elif ACTIVATION == 3
    return value / (1.0f + __expf(-value));
#else
    return value;
#endif
}

// The epilogue of one element. What HAS_ADDEND and HAS_BIAS leave out is not looked at.
__device__ inline float finished(float sum, float alpha, float beta, float addend, float bias)
{
    float value = alpha * sum;
#if HAS_ADDEND
    value = fmaf(beta, addend, value);
#endif
#if HAS_BIAS
    value += bias;
#endif
    return activated(value);
}

// The same where addend and bias are read element by element: `addend` points to the matrix of this batch.
__device__ inline OUTPUT finished_at(float sum, float alpha, float beta, const OUTPUT *addend, long long row_stride,
                                     long long column_stride, const OUTPUT *bias, int row, int column)
{
    float added = 0.0f, shifted = 0.0f;
#if HAS_ADDEND
    added = to_float(addend[row * row_stride + column * column_stride]);
#endif
#if HAS_BIAS
    shifted = to_float(bias[column]);
#endif
    return rounded<OUTPUT>(finished(sum, alpha, beta, added, shifted));
}
