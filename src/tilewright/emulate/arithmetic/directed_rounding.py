"""float64 arithmetic rounded towards zero, down or up: the nearest result, and the sign of its rounding error.

Operands are scaled so that the remainder neither overflows nor underflows; only its sign matters.
"""

from __future__ import annotations

import math

from tilewright.emulate.arithmetic.bits import DOWN, TO_ZERO, UP, bits_of_f64, fused, next_f64, round_to_f64, sum_error
from tilewright.emulate.compiled import inner

ADD, SUBTRACT, MULTIPLY, FUSED, DIVIDE, ROOT = range(6)
FAR = 1000
"""Binary orders of magnitude beyond which the smaller term of a sum only decides ties."""


@inner
def _product_rest(a: float, b: float, value: float) -> float:
    x, x_exponent = math.frexp(a)
    y, y_exponent = math.frexp(b)
    return fused(x, y, -math.ldexp(value, -(x_exponent + y_exponent)))


@inner
def _quotient_rest(a: float, b: float, value: float) -> float:
    x, x_exponent = math.frexp(a)
    y, y_exponent = math.frexp(b)
    return math.copysign(1.0, y) * fused(-math.ldexp(value, y_exponent - x_exponent), y, x)


@inner
def _root_rest(a: float, value: float) -> float:
    x, exponent = math.frexp(a)
    half = exponent >> 1
    scaled = math.ldexp(value, -half)
    return fused(-scaled, scaled, math.ldexp(x, exponent - 2 * half))


@inner
def _scaled(value: float, exponent: int) -> float:
    """Scale, but not to nothing: a term that is far smaller than the others keeps its sign."""
    if exponent < -FAR:
        return math.copysign(math.ldexp(1.0, -FAR), value) if value != 0.0 else 0.0
    return math.ldexp(value, exponent)


@inner
def _fused_rest(a: float, b: float, c: float, value: float) -> float:
    x, x_exponent = math.frexp(a)
    y, y_exponent = math.frexp(b)
    z, z_exponent = math.frexp(c)
    high = x * y
    low = fused(x, y, -high)
    product_exponent = x_exponent + y_exponent
    top = product_exponent if z == 0.0 else max(product_exponent, z_exponent) if high != 0.0 else z_exponent
    far = product_exponent - top < -FAR
    high = _scaled(high, product_exponent - top)
    low = 0.0 if far else math.ldexp(low, product_exponent - top)
    addend = _scaled(z, z_exponent - top)
    total = high + addend
    error = sum_error(high, addend, total)
    rest = total - math.ldexp(value, -top)
    small = error + low
    left = sum_error(error, low, small)
    result = rest + small
    return result + (sum_error(rest, small, result) + left)


@inner
def _overflowed(value: float, mode: int) -> int:
    """Round a finite result beyond the largest number, which came out as an infinity."""
    keeps = mode == TO_ZERO or (mode == DOWN and value > 0.0) or (mode == UP and value < 0.0)
    return bits_of_f64(next_f64(value, value < 0.0) if keeps else value)


@inner
def _is_finite(value: float) -> bool:
    return not (math.isnan(value) or math.isinf(value))


@inner
def directed_f64(operation: int, mode: int, a: float, b: float, c: float) -> int:
    """Return the bits of the operation's result in the rounding `mode`; unused operands are 1."""
    rest = 0.0
    is_zero_negative = False
    if operation <= SUBTRACT:
        other = -b if operation == SUBTRACT and not math.isnan(b) else b
        value = a + other
        if _is_finite(value):
            rest = sum_error(a, other, value)
        is_zero_negative = math.copysign(1.0, a) != math.copysign(1.0, other)
    elif operation == MULTIPLY:
        value = a * b
        if _is_finite(value):
            rest = _product_rest(a, b, value)
    elif operation == FUSED:
        value = fused(a, b, c)
        if _is_finite(value):
            rest = _fused_rest(a, b, c, value)
        is_zero_negative = math.copysign(1.0, a) * math.copysign(1.0, b) != math.copysign(1.0, c)
    elif operation == DIVIDE:
        value = a / b
        if _is_finite(value) and _is_finite(b):
            rest = _quotient_rest(a, b, value)
    else:
        value = math.sqrt(a)
        if _is_finite(value):
            rest = _root_rest(a, value)
    is_pole = operation == DIVIDE and b == 0.0
    if math.isinf(value) and _is_finite(a) and _is_finite(b) and _is_finite(c) and not is_pole:
        return _overflowed(value, mode)
    if value == 0.0 and rest == 0.0 and is_zero_negative:
        return bits_of_f64(-0.0 if mode == DOWN else 0.0)
    return round_to_f64(value, rest, mode)
