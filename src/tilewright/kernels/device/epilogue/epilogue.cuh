// What happens to a sum before it is stored: activation(alpha * sum + beta * addend + bias), in float32.
//
// Macros: EPILOGUE (1: there is one; 0: the sum is the result, and no parameter is passed), ADDEND and BIAS (their
// element types, where there is one), ACTIVATION (0 none, 1 relu, 2 gelu by the error function, 3 silu).
// The addend has any strides; bias is a vector that a stride of 0 lays along the rows or the columns of C.
#pragma once

#include "device/memory/element.cuh"

#ifndef EPILOGUE
#define EPILOGUE 0
#endif
#ifndef ACTIVATION
#define ACTIVATION 0
#endif

#if ACTIVATION >= 2
constexpr float LOG2_E = 1.4426950408889634f;

// To 2 units in the last place, and so is its reciprocal to 1: an instruction each, where expf and a division are many.
__device__ __forceinline__ float power_of_two(float exponent)
{
    float value;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(exponent));
    return value;
}

__device__ __forceinline__ float reciprocal(float value)
{
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
    return result;
}

// x Phi(x) = max(x, 0) - |x| Q(|x|), where Q = erfc(|x| / sqrt(2)) / 2 is what a normal number exceeds |x| with: by
// formula 7.1.26 of Abramowitz and Stegun, Handbook of Mathematical Functions, wrong by 4e-7 |x| at most. No digits
// cancel far below 0. NaN stays NaN and infinity infinite; of minus infinity it is 0.
__device__ __forceinline__ float gelu(float x)
{
    float size = fabsf(x);
    float t = reciprocal(1.0f + 0.23164189f * size);
    float sum = t * (0.127414796f + t * (-0.142248368f + t * (0.710706871f + t * (-0.726576014f + t * 0.530702715f))));
    float beyond = sum * power_of_two(-0.5f * LOG2_E * size * size);
    return fmaxf(x, 0.0f) - fminf(size, 1e30f) * beyond;
}
#endif

#if EPILOGUE
#ifdef ADDEND
using AddendElement = ADDEND;
#else
using AddendElement = float;
#endif
#ifdef BIAS
using BiasElement = BIAS;
#else
using BiasElement = float;
#endif

#define EPILOGUE_PARAMETERS                                                                                            \
    , float alpha, float beta, const AddendElement *addend, long long addend_row_stride,                               \
        long long addend_column_stride, long long addend_batch_stride_1, long long addend_batch_stride_2,              \
        const BiasElement *bias, long long bias_row_stride, long long bias_column_stride
#define EPILOGUE_ARGUMENTS                                                                                             \
    {alpha, beta, addend, addend_row_stride, addend_column_stride, addend_batch_stride_1, addend_batch_stride_2, bias, \
     bias_row_stride, bias_column_stride}

struct Epilogue {
    float alpha, beta;
    const AddendElement* addend;
    long long addend_row_stride, addend_column_stride, addend_batch_stride_1, addend_batch_stride_2;
    const BiasElement* bias;
    long long bias_row_stride, bias_column_stride;

    __device__ __forceinline__ void enter_batch(int batch_1, int batch_2)
    {
        addend += batch_1 * addend_batch_stride_1 + batch_2 * addend_batch_stride_2;
    }

    // The result for the element (row, column) of C, which lies inside.
    __device__ __forceinline__ float operator()(float sum, int row, int column) const
    {
        return finished(sum, addend_at(row, column), bias_at(row, column));
    }

    // What there is to add to an element of C, which lies inside; 0 where there is nothing.
    __device__ __forceinline__ float addend_at(int row, int column) const
    {
#ifdef ADDEND
        return as_float(addend[row * addend_row_stride + column * addend_column_stride]);
#else
        return 0.0f;
#endif
    }

    __device__ __forceinline__ float bias_at(int row, int column) const
    {
#ifdef BIAS
        return as_float(bias[row * bias_row_stride + column * bias_column_stride]);
#else
        return 0.0f;
#endif
    }

    // The result of a sum and what was loaded for it.
    __device__ __forceinline__ float finished(float sum, float added, float biased) const
    {
        float value = alpha * sum;
#ifdef ADDEND
        value += beta * added;
#endif
#ifdef BIAS
        value += biased;
#endif
#if ACTIVATION == 1
        // Written so that NaN stays NaN.
        value = value < 0.0f ? 0.0f : value;
#elif ACTIVATION == 2
        value = gelu(value);
#elif ACTIVATION == 3
        value = value * reciprocal(1.0f + power_of_two(-LOG2_E * value));
#endif
        return value;
    }
};
#else
#define EPILOGUE_PARAMETERS
#define EPILOGUE_ARGUMENTS {}

struct Epilogue {
    __device__ __forceinline__ void enter_batch(int, int) {}
    __device__ __forceinline__ float operator()(float sum, int, int) const { return sum; }
    __device__ __forceinline__ float addend_at(int, int) const { return 0.0f; }
    __device__ __forceinline__ float bias_at(int, int) const { return 0.0f; }
    __device__ __forceinline__ float finished(float sum, float, float) const { return sum; }
};
#endif
