// The sum that a thread of a dot product keeps, by the type of the elements.
//
// Products of 16-bit numbers are exact in float32, those of float32 in float64: there only the sum rounds, in float64,
// 29 bits below a float32. float64 has no wider type, so its products and sums keep what they round away beside them
// (Dot2). All of it is hidden behind the memory: an element takes longer to arrive than to be added so. Integers wrap
// around, as NumPy's do. No sum depends on when a thread runs, so the bits are the same in every call. Each is 0 once
// it is made with {}.
//
// Source: Ogita, Rump, Oishi, "Accurate Sum and Dot Product", SIAM J. Sci. Comput. 26 (2005), algorithms 3.1, 3.3, 5.3.
#pragma once

#include "device/memory/operand.cuh"

template <class A, class B> constexpr bool is_same = false;
template <class A> constexpr bool is_same<A, A> = true;

constexpr bool IS_FLOAT = is_same<ELEMENT, double> || is_same<ELEMENT, float> || is_same<ELEMENT, __half> ||
                          is_same<ELEMENT, __nv_bfloat16>;
// bfloat16 has float32's range, so that a product may leave it: a float64 result must not see that.
constexpr bool EXACT_IN_FLOAT = is_same<ELEMENT, __half> || (is_same<ELEMENT, __nv_bfloat16> && sizeof(OUTPUT) < 8);

// An integer as sums take it: as it is.
template <class Integer> __device__ __forceinline__ Integer as_sum(Integer value) { return value; }

// Two neighbours of 16 bits in one register, the first in the lower half.
template <class Element> __device__ __forceinline__ float2 as_pair(unsigned both)
{
    if constexpr (is_same<Element, __half>)
        return __half22float2(*reinterpret_cast<const __half2*>(&both));
    else
        return make_float2(__uint_as_float(both << 16), __uint_as_float(both & 0xFFFF0000));
}

// Exact products, a sum in float64.
struct WideSum {
    static constexpr int WORDS = 1;
    double sum;

    __device__ __forceinline__ void add_product(float x, float y)
    {
        if constexpr (EXACT_IN_FLOAT)
            sum += static_cast<double>(x * y);
        else
            sum = fma(static_cast<double>(x), static_cast<double>(y), sum);
    }
    __device__ __forceinline__ void add(const WideSum& other) { sum += other.sum; }
    __device__ __forceinline__ double value() const { return sum; }
    __device__ __forceinline__ unsigned long long word(int) const { return __double_as_longlong(sum); }
    __device__ __forceinline__ void set_word(int, unsigned long long bits) { sum = __longlong_as_double(bits); }
};

// Dot2: float64 with twice its precision.
struct CompensatedSum {
    static constexpr int WORDS = 2;
    double sum, lost;

    // What a sum rounds away is a float64 itself, and so is what a product rounds away.
    __device__ __forceinline__ void add_kept(double more, double lost_of_it)
    {
        double total = __dadd_rn(sum, more), part = __dsub_rn(total, sum);
        double rounded = __dadd_rn(__dsub_rn(sum, __dsub_rn(total, part)), __dsub_rn(more, part));
        sum = total;
        lost += lost_of_it + rounded;
    }
    __device__ __forceinline__ void add_product(double x, double y)
    {
        double product = __dmul_rn(x, y);
        add_kept(product, __fma_rn(x, y, -product));
    }
    __device__ __forceinline__ void add(const CompensatedSum& other) { add_kept(other.sum, other.lost); }
    // Of an infinite sum nothing was lost, and what would say so is NaN.
    __device__ __forceinline__ double value() const { return isfinite(sum) ? sum + lost : sum; }
    __device__ __forceinline__ unsigned long long word(int i) const { return __double_as_longlong(i ? lost : sum); }
    __device__ __forceinline__ void set_word(int i, unsigned long long bits)
    {
        (i ? lost : sum) = __longlong_as_double(bits);
    }
};

// Integers, modulo 2^32 or 2^64.
template <class Bits> struct WrappedSum {
    static constexpr int WORDS = 1;
    Bits sum;

    __device__ __forceinline__ void add_product(ELEMENT x, ELEMENT y)
    {
        sum += static_cast<Bits>(x) * static_cast<Bits>(y);
    }
    __device__ __forceinline__ void add(const WrappedSum& other) { sum += other.sum; }
    __device__ __forceinline__ Bits value() const { return sum; }
    __device__ __forceinline__ unsigned long long word(int) const { return sum; }
    __device__ __forceinline__ void set_word(int, unsigned long long bits) { sum = static_cast<Bits>(bits); }
};

template <bool CONDITION, class A, class B> struct Either {
    using Type = A;
};
template <class A, class B> struct Either<false, A, B> {
    using Type = B;
};
using IntegerSum = Either<sizeof(OUTPUT) == 8, WrappedSum<unsigned long long>, WrappedSum<unsigned>>::Type;
using FloatSum = Either<is_same<ELEMENT, double>, CompensatedSum, WideSum>::Type;
using RunningSum = Either<IS_FLOAT, FloatSum, IntegerSum>::Type;

// The result, rounded once.
__device__ __forceinline__ void store_sum(double* to, double value) { *to = value; }
__device__ __forceinline__ void store_sum(float* to, double value) { *to = __double2float_rn(value); }
__device__ __forceinline__ void store_sum(__half* to, double value) { *to = __double2half(value); }
__device__ __forceinline__ void store_sum(__nv_bfloat16* to, double value) { *to = __double2bfloat16(value); }
template <class Integer, class Bits> __device__ __forceinline__ void store_sum(Integer* to, Bits value)
{
    *to = static_cast<Integer>(value);
}

// The sum of the thread `distance` lanes away (by XOR).
__device__ __forceinline__ RunningSum exchanged(const RunningSum& sum, int distance)
{
    RunningSum other;
#pragma unroll
    for (int i = 0; i < RunningSum::WORDS; ++i)
        other.set_word(i, __shfl_xor_sync(0xFFFFFFFF, sum.word(i), distance));
    return other;
}
