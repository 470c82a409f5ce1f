"""What a tensor core of Hopper computes, in whole numbers of Python: the reference for emulate/arithmetic."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

FORMATS = {"f16": (5, 10), "bf16": (8, 7), "tf32": (8, 10), "e4m3": (4, 3), "e5m2": (5, 2), "f32": (8, 23)}
"""Bits of the exponent and of the fraction."""
UNSIGNED = {"f16": np.uint16, "bf16": np.uint16, "tf32": np.uint32, "e4m3": np.uint8, "e5m2": np.uint8}
UNSIGNED |= {"s8": np.int8, "u8": np.uint8}
NAN_32, NAN_16 = 0x7FFFFFFF, 0x7FFF
LEAST_EXPONENT = -133


class Term(NamedTuple):
    """A number `significand * 2 ** unit`, and the exponent that aligns it (None: nothing); or a special one."""

    significand: int
    unit: int
    exponent: int | None
    special: float | None = None


def term(bits: int, dtype: str) -> Term:
    """Return a float given as bits."""
    exponent_bits, fraction_bits = FORMATS[dtype]
    if dtype == "tf32":
        bits >>= 13
    sign = -1 if bits >> (exponent_bits + fraction_bits) & 1 else 1
    field, fraction = bits >> fraction_bits & ((1 << exponent_bits) - 1), bits & ((1 << fraction_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    is_top = field == (1 << exponent_bits) - 1
    if is_top and (dtype != "e4m3" or fraction == 7):
        return Term(0, 0, None, math.nan if fraction else sign * math.inf)
    exponent = max(field, 1) - bias
    significand = sign * (fraction + (1 << fraction_bits if field else 0))
    return Term(significand, exponent - fraction_bits, exponent if significand else None)


def shifted(value: int, left: int) -> int:
    """Return value * 2 ** left, cut off towards zero."""
    size = abs(value) << left if left >= 0 else abs(value) >> -left
    return -size if value < 0 else size


def add_group(row: list[Term], column: list[Term], sum_before: Term, fraction_bits: int) -> tuple[int, int] | float:
    """Return the sum of products and of a sum as (number, unit), or the infinity or NaN that it is."""
    specials = [sum_before.special] if sum_before.special is not None else []
    for x, y in zip(row, column, strict=True):
        if x.special is not None or y.special is not None:
            left = x.special if x.special is not None else float(np.sign(x.significand))
            right = y.special if y.special is not None else float(np.sign(y.significand))
            specials.append(left * right)
    if specials:
        return sum(specials)
    products = [
        Term(x.significand * y.significand, x.unit + y.unit, x.exponent + y.exponent)
        for x, y in zip(row, column, strict=True)
        if x.exponent is not None and y.exponent is not None
    ]
    terms = [*products, sum_before]
    largest = max([each.exponent for each in terms if each.exponent is not None] + [LEAST_EXPONENT])
    unit = largest - fraction_bits
    return sum(shifted(each.significand, each.unit - unit) for each in terms), unit


def to_float32(total: tuple[int, int] | float, fraction_bits: int = 23) -> int:
    """Round towards zero, a result of zero is positive; beyond the largest number lies infinity."""
    if isinstance(total, float):
        return NAN_32 if math.isnan(total) else 0x7F800000 | (0x80000000 if total < 0 else 0)
    number, unit = total
    if number == 0:
        return 0
    sign, size = (0x80000000, -number) if number < 0 else (0, number)
    exponent = max(size.bit_length() - 1 + unit, -126)
    kept = min(fraction_bits, 23)
    significand = shifted(shifted(size, unit - (exponent - kept)), 23 - kept)
    if exponent > 127:
        return sign | 0x7F800000
    if significand == 0:
        return 0
    return sign | (significand if significand < 1 << 23 else (exponent + 126 << 23) + significand)


def to_float16(total: tuple[int, int] | float) -> int:
    """Round to the nearest, ties to even."""
    if isinstance(total, float):
        return NAN_16 if math.isnan(total) else 0x7C00 | (0x8000 if total < 0 else 0)
    number, unit = total
    if number == 0:
        return 0
    sign, size = (0x8000, -number) if number < 0 else (0, number)
    step = max(size.bit_length() - 1 + unit, -14) - 10 - unit
    if step <= 0:
        rounded = size << -step
    else:
        rounded, rest = size >> step, size & ((1 << step) - 1)
        rounded += rest > 1 << (step - 1) or (rest == 1 << (step - 1) and rounded & 1)
    exponent = step + unit + 10
    bits = rounded if rounded < 1 << 10 else (exponent + 14 << 10) + rounded
    return 0 if bits == 0 else sign | min(bits, 0x7C00)


def product_as_halves(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, kinds: tuple[str, str], summed: str = "f32"
) -> np.ndarray:
    """Return A B + C of 8-bit elements as Hopper's `mma.sync` has it: two products in float16, one after the other.

    Sums begin at 0, and C is added at the end.

    A lane's register has four neighbours of the inner index: the first product takes two of each, the second the rest.
    """
    halves_a, halves_b = (
        np.vectorize(lambda bits, kind=kind: _half_of(int(bits), kind), otypes=[np.uint16])(x)
        for x, kind in zip((a, b), kinds, strict=True)
    )
    is_lower = np.arange(a.shape[1]) % 4 < 2
    before = c
    c = np.zeros_like(c)
    for which in (is_lower, ~is_lower):
        c = product(halves_a[:, which], halves_b[which], c, ("f16", "f16"), summed)
    number, nan = (np.float32, NAN_32) if summed == "f32" else (np.float16, NAN_16)
    with np.errstate(invalid="ignore", over="ignore"):
        total: np.ndarray = c.view(number) + before.view(number)
    bits: np.ndarray = np.where(np.isnan(total), c.dtype.type(nan), total.view(c.dtype))
    return bits


def _half_of(bits: int, dtype: str) -> int:
    each = term(bits, dtype)
    value = each.special if each.special is not None else math.ldexp(each.significand, each.unit)
    return int(np.float16(value).view(np.uint16))


def product(a: np.ndarray, b: np.ndarray, c: np.ndarray, kinds: tuple[str, str], summed: str = "f32") -> np.ndarray:
    """Return the bits of A B + C. a: bits (m, k). b: bits (k, n). c: bits (m, n), of float32 or float16."""
    of_a, of_b = kinds
    rows = [[term(int(x), of_a) for x in row] for row in a]
    columns = [[term(int(x), of_b) for x in column] for column in b.T]
    bits = 13 if of_a.startswith("e") else 25
    result = np.zeros(c.shape, np.uint16 if summed == "f16" else np.uint32)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            before = term(int(c[i, j]), summed)
            if summed == "f16" and before.exponent is not None:  # it is aligned as the float32 that it is
                before = before._replace(exponent=abs(before.significand).bit_length() - 1 + before.unit)
            total = add_group(row, column, before, bits)
            result[i, j] = to_float16(total) if summed == "f16" else to_float32(total, bits)
    return result
