"""`cvt` in its less common forms: small types, saturation, directed rounding, halves."""

from __future__ import annotations

import math

import numpy as np

from tilewright.emulate.arithmetic.bits import (
    DOWN,
    NEAREST,
    UP,
    bits_of_f64,
    f32_from_bits,
    f64_from_bits,
    narrow,
    round_to_f32,
    widen,
)
from tilewright.emulate.compiled import inner

TYPES = ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "f16", "bf16", "f32", "f64", "tf32")
TYPE_NUMBER = {name: number for number, name in enumerate(TYPES)}
S64, U64, F16, BF16, F32, F64, TF32 = range(6, 13)
ROUNDINGS = ("rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna")
ROUNDING_NUMBER = {name: number for number, name in enumerate(ROUNDINGS)}
TIES_AWAY = ROUNDING_NUMBER["rna"]
CUT_OFF = (1 << 13) - 1
"""The bits of a float32 that tf32 has not."""
SOURCE_SHIFT, ROUNDING_SHIFT, SATURATE, FLUSH = 4, 8, 1 << 12, 1 << 13


def conversion(target: str, source: str, rounding: str, *, saturate: bool, flush: bool) -> int:
    """Encode a conversion as the immediate that `convert` takes."""
    number = TYPE_NUMBER[target] | TYPE_NUMBER[source] << SOURCE_SHIFT | ROUNDING_NUMBER[rounding] << ROUNDING_SHIFT
    return number | (SATURATE if saturate else 0) | (FLUSH if flush else 0)


@inner
def widen_from(kind: int, bits: int) -> float:
    """Return the value of a float16, bfloat16, float32 or float64."""
    if kind == F16:
        return widen(bits & 0xFFFF, 5, 10)
    if kind == BF16:
        return widen(bits & 0xFFFF, 8, 7)
    return f32_from_bits(bits) if kind == F32 else f64_from_bits(bits)


@inner
def narrow_to(kind: int, value: float, mode: int) -> int:
    """Round a float64 to the bits of a float type."""
    if kind == F16:
        return narrow(value, 5, 10, mode)
    if kind == BF16:
        return narrow(value, 8, 7, mode)
    return round_to_f32(value, 0.0, mode) if kind == F32 else bits_of_f64(value)


@inner
def _integer_value(kind: int, bits: int) -> int:
    """Return a source integer; a u64 at or above 2^63 comes out negative."""
    if kind >= S64:
        return bits
    width = 8 << (kind >> 1)
    value = bits & ((1 << width) - 1)
    if kind & 1 == 0 and value >> (width - 1):
        value -= 1 << width
    return value


@inner
def _lowest(kind: int) -> int:
    if kind & 1:
        return 0
    return -1 << ((8 << (kind >> 1)) - 1)


@inner
def _highest(kind: int) -> int:
    width = 8 << (kind >> 1)
    if kind & 1:
        return -1 if width == 64 else (1 << width) - 1
    return ~(-1 << (width - 1))


@inner
def _round_to_integer(value: float, mode: int) -> float:
    # NumPy's functions: those of math return integers, which a large value does not fit.
    if mode == 4 or mode == 0:
        rounded = np.rint(value)
    elif mode == 6 or mode == 2:
        rounded = np.floor(value)
    elif mode == 7 or mode == 3:
        rounded = np.ceil(value)
    else:
        rounded = np.trunc(value)
    return math.copysign(rounded, value)


@inner
def _float_to_integer(target: int, source: int, value: float, mode: int) -> int:
    if math.isnan(value):
        # Silicon: the top bit alone when either side has 64 bits, else 0 (read from an H200).
        if target < S64 and source != F64:
            return 0
        return _lowest(target) if target & 1 == 0 else 1 << ((8 << (target >> 1)) - 1)
    if not math.isinf(value):
        value = _round_to_integer(value, mode)
    if target == U64:
        if value >= 18446744073709551616.0:
            return -1
        if value >= 9223372036854775808.0:
            return int(value - 9223372036854775808.0) ^ (-1 << 63)
        return 0 if value <= 0.0 else int(value)
    if target == S64:
        if value >= 9223372036854775808.0:
            return _highest(target)
        return _lowest(target) if value <= -9223372036854775808.0 else int(value)
    lowest, highest = _lowest(target), _highest(target)
    if value >= highest:
        return highest
    return lowest if value <= lowest else int(value)


@inner
def _shifted_right(value: int, count: int) -> int:
    """Shift the 64 bits of `value` right, zeros coming in."""
    return value if count == 0 else (value >> count) & ~(-1 << (64 - count))


@inner
def _integer_to_float(target: int, source: int, integer: int, mode: int) -> int:
    """Round an integer once to the bits of a float; a u64 at or above 2^63 comes in negative."""
    if integer == 0:
        return 0
    exponent_bits = 5 if target == F16 else (11 if target == F64 else 8)
    mantissa_bits = 10 if target == F16 else (7 if target == BF16 else (23 if target == F32 else 52))
    is_negative = integer < 0 and source != U64
    magnitude = -integer if is_negative else integer
    length = 64
    while length and _shifted_right(magnitude, length - 1) & 1 == 0:
        length -= 1
    shift = length - mantissa_bits - 1
    if shift <= 0:
        kept = magnitude << -shift
    else:
        kept = _shifted_right(magnitude, shift)
        dropped, half = magnitude & ~(-1 << shift), 1 << (shift - 1)
        away = mode == (DOWN if is_negative else UP)
        if (mode == NEAREST and (dropped > half or (dropped == half and kept & 1))) or (away and dropped):
            kept += 1
    # A carry out of the significand moves into the exponent by itself.
    result = ((length - 2 + (1 << (exponent_bits - 1))) - 1 << mantissa_bits) + kept
    infinity = ((1 << exponent_bits) - 1) << mantissa_bits
    if result >= infinity:
        result = infinity if mode == NEAREST or mode == (DOWN if is_negative else UP) else infinity - 1
    return result | (1 << (exponent_bits + mantissa_bits) if is_negative else 0)


@inner
def _is_subnormal(value: float, mode: int) -> bool:
    """Say whether value, rounded to the 24 bits of a float32 with any exponent, is below the normal numbers."""
    scaled = abs(f32_from_bits(narrow_to(F32, value * 18446744073709551616.0, mode)))
    return scaled < 2.168404344971009e-19


@inner
def _converted_nan(target: int, source: int, bits: int) -> int:
    """Return what silicon makes of a NaN: what fits of a wider or narrower payload, or the type's one NaN."""
    if source == F64:
        sign, payload = (bits >> 63) & 1, bits & ((1 << 52) - 1)
        if target == F16:
            return sign << 15 | 0x7E00 | payload >> 42
        if target == BF16:
            return sign << 15 | 0x7FC0 | payload >> 45
        return bits | 1 << 51 if target == F64 else sign << 31 | 0x7FC00000 | payload >> 29
    if source == BF16 and target == F32:
        return (bits & 0xFFFF) << 16
    if target == F64:
        if source == F32:
            return 0x7FFFFFFFE0000000
        payload = (bits & 0x3FF) << 42 if source == F16 else (bits & 0x7F) << 45
        return ((bits >> 15) & 1) << 63 | 0x7FF8000000000000 | payload
    return 0x7FFFFFFF if target == F32 else 0x7FFF


@inner
def convert(immediate: int, bits: int) -> int:
    """Convert the bits of one lane as `conversion` encoded it."""
    target = immediate & 15
    source = (immediate >> SOURCE_SHIFT) & 15
    mode = (immediate >> ROUNDING_SHIFT) & 15
    saturate = immediate & SATURATE != 0
    if source < F16:
        integer = _integer_value(source, bits)
        if target >= F16:
            result = _integer_to_float(target, source, integer, mode & 3)
            return _clamp_float(target, result) if saturate else result
        if saturate:
            is_big = source == U64 and integer < 0
            lowest, highest = _lowest(target), _highest(target)
            if target == U64:
                return 0 if integer < 0 and not is_big else integer
            if is_big or integer > highest:
                return highest
            return max(integer, lowest)
        return integer
    if target == TF32:
        return _to_tf32(bits, mode)
    value = widen_from(source, bits)
    if immediate & FLUSH and source == F32 and abs(value) < 1.1754943508222875e-38:
        value = math.copysign(0.0, value)
    if target < F16:
        return _float_to_integer(target, source, value, mode)
    if mode >= 4 and not (math.isnan(value) or math.isinf(value)):
        value = _round_to_integer(value, mode)
    if math.isnan(value) and not saturate:
        return _converted_nan(target, source, bits)
    result = narrow_to(target, value, mode & 3)
    if immediate & FLUSH and target == F32 and _is_subnormal(value, mode & 3):
        result &= 0x80000000
    return _clamp_float(target, result) if saturate else result


@inner
def nearest_tf32(bits: int) -> int:
    """Round the bits of a finite float32 to 11 significant bits, to the nearest, ties to even; the others are 0."""
    return (bits + CUT_OFF // 2 + (bits >> 13 & 1)) & ~CUT_OFF


@inner
def _to_tf32(bits: int, mode: int) -> int:
    bits &= 0xFFFFFFFF
    if bits & 0x7FFFFFFF > 0x7F800000 and mode != TIES_AWAY:
        return 0x7FFFFFFF & ~CUT_OFF
    if bits & 0x7F800000 != 0x7F800000:
        if mode == NEAREST:
            return nearest_tf32(bits)
        if mode == TIES_AWAY:
            bits += CUT_OFF // 2 + 1
    return bits & ~CUT_OFF


@inner
def _clamp_float(target: int, bits: int) -> int:
    value = widen_from(target, bits)
    if not value > 0.0:
        return 0
    return narrow_to(target, 1.0, 0) if value > 1.0 else bits
