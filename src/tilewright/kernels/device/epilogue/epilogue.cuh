// What happens to a sum before it is stored: activation(alpha * sum + beta * c + bias), in the type of the sum.
//
// Macros: EPILOGUE (1: there is one; 0: the sum is the result, and what is passed is not read), C_OPERAND and BIAS
// (their element types, where there is one), ACTIVATION (0 none, 1 relu, 2 gelu by the error function, 3 silu), SUM
// (float, double), EXACT_ACTIVATION (1: to the last place of SUM; 0: to more than 16-bit results show, and far faster).
// The C operand has any strides; bias is a vector that a stride of 0 lays along the rows or the columns of C.
#pragma once

#include "device/memory/operand.cuh"

#ifndef EPILOGUE
#define EPILOGUE 0
#endif
#ifndef ACTIVATION
#define ACTIVATION 0
#endif
#ifndef SUM
#define SUM float
#endif
#ifndef EXACT_ACTIVATION
#define EXACT_ACTIVATION 0
#endif

// The type in which a product's sums are kept.
using Sum = SUM;

#if EXACT_ACTIVATION
__device__ __forceinline__ Sum gelu(Sum x)
{
    constexpr Sum ROOT_OF_A_HALF = static_cast<Sum>(0.70710678118654752440);
    return static_cast<Sum>(0.5) * x * (1 + erf(x * ROOT_OF_A_HALF));
}

__device__ __forceinline__ Sum silu(Sum x) { return x / (1 + exp(-x)); }
#elif ACTIVATION >= 2
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

__device__ __forceinline__ float silu(float x) { return x * reciprocal(1.0f + power_of_two(-LOG2_E * x)); }
#endif

#ifdef C_OPERAND
using COperandElement = C_OPERAND;
#else
using COperandElement = Sum;
#endif
#ifdef BIAS
using BiasElement = BIAS;
#else
using BiasElement = Sum;
#endif

// What the host passes beside the addresses of c_operand and bias. Bias has a stride along the rows of C and one along
// the columns, of which one is 0.
struct EpilogueScalars {
    Sum alpha, beta;
    Strides c_operand;
    long long bias_row_stride, bias_column_stride;
};

#if EPILOGUE
struct Epilogue {
    const COperandElement* c_operand;
    const BiasElement* bias;
    EpilogueScalars scalars;

    __device__ __forceinline__ void enter_batch(long long batch_1, long long batch_2)
    {
        c_operand = matrix_at(c_operand, scalars.c_operand, batch_1, batch_2);
    }

    // The result for the element (row, column) of C, which lies inside.
    __device__ __forceinline__ Sum operator()(Sum sum, int row, int column) const
    {
        return finished(sum, c_operand_at(row, column), bias_at(row, column));
    }

    // What there is to add to an element of C, which lies inside; 0 where there is nothing.
    __device__ __forceinline__ Sum c_operand_at(int row, int column) const
    {
#ifdef C_OPERAND
        return as_sum(c_operand[row * scalars.c_operand.row + column * scalars.c_operand.column]);
#else
        return 0;
#endif
    }

    __device__ __forceinline__ Sum bias_at(int row, int column) const
    {
#ifdef BIAS
        return as_sum(bias[row * scalars.bias_row_stride + column * scalars.bias_column_stride]);
#else
        return 0;
#endif
    }

    // The result of a sum and what was loaded for it.
    __device__ __forceinline__ Sum finished(Sum sum, Sum added, Sum biased) const
    {
        Sum value = scalars.alpha * sum;
#ifdef C_OPERAND
        value += scalars.beta * added;
#endif
#ifdef BIAS
        value += biased;
#endif
#if ACTIVATION == 1
        // Written so that NaN stays NaN.
        value = value < 0 ? 0 : value;
#elif ACTIVATION == 2
        value = gelu(value);
#elif ACTIVATION == 3
        value = silu(value);
#endif
        return value;
    }
};
#else
struct Epilogue {
    __device__ __forceinline__ Epilogue(const COperandElement*, const BiasElement*, const EpilogueScalars&) {}
    __device__ __forceinline__ void enter_batch(long long, long long) {}
    __device__ __forceinline__ Sum operator()(Sum sum, int, int) const { return sum; }
    __device__ __forceinline__ Sum c_operand_at(int, int) const { return 0; }
    __device__ __forceinline__ Sum bias_at(int, int) const { return 0; }
    __device__ __forceinline__ Sum finished(Sum sum, Sum, Sum) const { return sum; }
};
#endif
