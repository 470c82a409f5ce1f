"""Floats as bits and back, and IEEE steps: for the instructions done lane by lane."""

from __future__ import annotations

import math

from numba import types

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import emitted, inner


@emitted(types.float64(types.int64))
def f64_from_bits(b: Builder, bits: Value) -> Value:
    """Return the float64 with these bits."""
    return b.bitcast(bits, v.f64)


@emitted(types.int64(types.float64))
def bits_of_f64(b: Builder, value: Value) -> Value:
    """Return the bits of a float64."""
    return b.bitcast(value, v.i64)


@emitted(types.float64(types.int64))
def f32_from_bits(b: Builder, bits: Value) -> Value:
    """Return the float32 with the low 32 bits, widened to float64."""
    return b.fpext(b.bitcast(b.trunc(bits, v.i32), v.f32), v.f64)


@emitted(types.int64(types.float64))
def bits_of_f32(b: Builder, value: Value) -> Value:
    """Return the bits of a float64 rounded to float32 (to nearest)."""
    return b.zext(b.bitcast(b.fptrunc(value, v.f32), v.i32), v.i64)


@emitted(types.float64(types.float64, types.float64, types.float64))
def fused(b: Builder, x: Value, y: Value, z: Value) -> Value:
    """Return x * y + z in float64, rounded once."""
    function = b.module.globals.get("llvm.fma.f64")
    if function is None:
        from llvmlite import ir

        function = ir.Function(b.module, ir.FunctionType(v.f64, [v.f64] * 3), name="llvm.fma.f64")
    return b.call(function, [x, y, z])


NEAREST, TO_ZERO, DOWN, UP = range(4)
SIGN_64 = -1 << 63


@inner
def sum_error(x: float, y: float, total: float) -> float:
    """Return the rounding error of x + y = total, exactly (Knuth's two-sum)."""
    virtual = total - x
    return (x - (total - virtual)) + (y - virtual)


@inner
def next_f64(value: float, upward: bool) -> float:
    """Return the neighbour of a finite float64, or of an infinity towards zero."""
    if value == 0.0:
        return f64_from_bits(1) if upward else f64_from_bits(SIGN_64 | 1)
    bits = bits_of_f64(value)
    return f64_from_bits(bits + 1 if (value > 0) == upward else bits - 1)


@inner
def next_f32(bits: int, upward: bool) -> int:
    """Return the neighbour of a float32 given as bits."""
    if bits & 0x7FFFFFFF == 0:
        return 1 if upward else 0x80000001
    is_positive = bits >> 31 == 0
    return (bits + 1 if is_positive == upward else bits - 1) & 0xFFFFFFFF


@inner
def _step(exact_minus_rounded: float, rounded: float, mode: int) -> int:
    """Return -1, 0 or 1: the neighbour that a directed rounding takes instead of the nearest."""
    if exact_minus_rounded == 0.0 or mode == NEAREST:
        return 0
    below = exact_minus_rounded < 0.0
    if mode == DOWN:
        return -1 if below else 0
    if mode == UP:
        return 0 if below else 1
    is_negative = bits_of_f64(rounded) < 0
    if below and not is_negative:
        return -1
    return 1 if not below and is_negative else 0


@inner
def round_to_f32(value: float, rest: float, mode: int) -> int:
    """Round value + rest (|rest| far below an ulp of value; only its sign counts) to the bits of a float32."""
    bits = bits_of_f32(value)
    if math.isnan(value):
        return 0x7FFFFFFF
    if math.isinf(value):
        return bits
    rounded = f32_from_bits(bits)
    difference = value - rounded
    if difference == 0.0:
        difference = rest
    step = _step(difference, rounded, mode)
    return bits if step == 0 else next_f32(bits, step > 0)


@inner
def round_to_f64(value: float, rest: float, mode: int) -> int:
    """Round value + rest, where value is already the nearest float64, to the bits of a float64."""
    if math.isnan(value) or math.isinf(rest) or math.isnan(rest):
        return bits_of_f64(value)
    if math.isinf(value):
        toward_zero = mode == TO_ZERO or (mode == DOWN) == (value > 0)
        if mode != NEAREST and rest != 0.0 and toward_zero:
            return bits_of_f64(next_f64(value, value < 0))
        return bits_of_f64(value)
    step = _step(rest, value, mode)
    return bits_of_f64(value if step == 0 else next_f64(value, step > 0))


@inner
def widen(bits: int, exponent_bits: int, mantissa_bits: int) -> float:
    """Return the value of a small float (float16: 5 and 10, bfloat16: 8 and 7)."""
    mantissa = bits & ((1 << mantissa_bits) - 1)
    exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    if exponent == (1 << exponent_bits) - 1:
        value = math.inf if mantissa == 0 else math.nan
    elif exponent == 0:
        value = math.ldexp(float(mantissa), 1 - bias - mantissa_bits)
    else:
        value = math.ldexp(float(mantissa + (1 << mantissa_bits)), exponent - bias - mantissa_bits)
    return -value if (bits >> (exponent_bits + mantissa_bits)) & 1 else value


@inner
def narrow(value: float, exponent_bits: int, mantissa_bits: int, mode: int) -> int:
    """Round a float64 once to a small float; NaN becomes silicon's 0x7FFF."""
    if math.isnan(value):
        return 0x7FFF
    bits = bits_of_f64(value)
    is_negative = bits < 0
    sign = 1 << (exponent_bits + mantissa_bits) if is_negative else 0
    bias = (1 << (exponent_bits - 1)) - 1
    infinity = ((1 << exponent_bits) - 1) << mantissa_bits
    if math.isinf(value):
        return sign | infinity
    magnitude = bits & 0x7FFFFFFFFFFFFFFF
    exponent = (magnitude >> 52) - 1023
    significand = magnitude & 0xFFFFFFFFFFFFF
    if magnitude >> 52:
        significand |= 1 << 52
    else:
        exponent = -1022
    lowest = max(exponent, 1 - bias)
    shift = 52 - mantissa_bits + (lowest - exponent)
    if shift > 60:
        kept, dropped, half = 0, min(significand, 1), 2
    else:
        kept = significand >> shift
        dropped, half = significand & ((1 << shift) - 1), 1 << (shift - 1)
    away = mode == (DOWN if is_negative else UP)
    if (mode == NEAREST and (dropped > half or (dropped == half and kept & 1))) or (away and dropped):
        kept += 1
    # A carry out of the significand moves into the exponent by itself.
    result = kept if kept < 1 << mantissa_bits else ((lowest + bias - 1) << mantissa_bits) + kept
    if result >= infinity:
        result = infinity if mode == NEAREST or away else infinity - 1
    return sign | result


@inner
def round_to_odd(value: float, rest: float) -> float:
    """Round value + rest to odd: a set last bit stands for lost bits, so that a second rounding is right."""
    if rest == 0.0 or math.isinf(value) or math.isnan(value) or bits_of_f64(value) & 1:
        return value
    return next_f64(value, rest > 0)
