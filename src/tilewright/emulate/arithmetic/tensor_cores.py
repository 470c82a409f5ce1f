"""The arithmetic of Hopper's tensor cores, bit for bit as published models give it.

An instruction adds the products of one group, all of its inner index, to a sum. Products are exact. All terms are
aligned to the largest exponent among them, where a product has the sum of its factors' exponents, and cut off below
FRACTION_BITS bits behind the leading one: 23 of a float32 and 2 more, or 13 for elements of 8 bits. They are added
exactly, and the sum is rounded once: towards zero to float32, of elements of 8 bits to 13 bits behind its own leading
one; to the nearest to float16. A result of zero is +0. Subnormal numbers count in full. Products of integers are
exact.
Source: F. A. Khattak and M. Mikaitis, Accurate Models of NVIDIA Tensor Cores, arXiv 2512.07004 (H100 and H200); the
sign of zero and the bits of sums of 8-bit elements were read from an H100 (tests/gpu/fuzz_programs.py).
"""

from __future__ import annotations

from typing import NamedTuple

from llvmlite import ir

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.planes import exponents_of, float32_of, plane_of_a, plane_of_b
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import of_words

FRACTION_BITS, FRACTION_BITS_OF_8 = 25, 13

LEAST_EXPONENT = -133
"""Terms are aligned to no exponent below this."""


class _Group(NamedTuple):
    """Where the planes of a group are, and what is known of it. depth: of the inner index, 1 or more."""

    values_a: Value
    exponents_a: Value
    values_b: Value
    exponents_b: Value
    depth: Value
    fraction_bits: Value


def _power_of_two(b: Builder, exponents: Value) -> Value:
    """Return float64 powers of two. exponents: those of normal numbers."""
    fields = b.zext(b.add(exponents, v.constant(v.i32, 1023)), v.vector(v.i64))
    return b.bitcast(b.shl(fields, v.constant(v.i64, 52)), v.vector(v.f64))


def _aligned_sum(b: Builder, group: _Group, sums: Value) -> Value:
    """Return float32 sums and the products of a group, added as tensor cores do, before they are rounded."""

    def larger(number: Value, found: list[Value]) -> list[Value]:
        of_a = plane_of_a(b, v.i32, group.exponents_a, number)
        both = b.add(of_a, plane_of_b(b, v.i32, group.exponents_b, number))
        return [b.select(b.icmp_signed(">", both, found[0]), both, found[0])]

    first = exponents_of(b, sums, -126)
    least = v.constant(v.i32, LEAST_EXPONENT)
    (largest,) = v.loop(b, group.depth, [b.select(b.icmp_signed(">", first, least), first, least)], larger)
    bits = v.splat(b, b.trunc(group.fraction_bits, v.i32))
    scale, unit = _power_of_two(b, b.sub(bits, largest)), _power_of_two(b, b.sub(largest, bits))

    def cut(terms: Value) -> Value:
        return v.intrinsic(b, f"llvm.trunc.{v.suffix(v.f64)}", terms.type, [b.fmul(terms, scale)])

    def added(number: Value, before: list[Value]) -> list[Value]:
        of_b = plane_of_b(b, v.f64, group.values_b, number)
        return [b.fadd(before[0], cut(b.fmul(plane_of_a(b, v.f64, group.values_a, number), of_b)))]

    # A first term of +0 makes a sum of -0 and -0 positive.
    start = b.fadd(v.constant(v.f64, 0.0), cut(b.fpext(sums, v.vector(v.f64))))
    (total,) = v.loop(b, group.depth, [start], added)
    return b.fmul(total, unit)


def _with_bits_of_8(b: Builder, totals: Value, fraction_bits: Value) -> Value:
    """Cut off what sums of 8-bit elements do not keep; other sums stay as they are."""
    cut = ir.Constant(v.i64, -1 << 52 - FRACTION_BITS_OF_8)
    is_of_8 = b.icmp_unsigned("==", fraction_bits, ir.Constant(v.i64, FRACTION_BITS_OF_8))
    mask = v.splat(b, b.select(is_of_8, cut, ir.Constant(v.i64, -1)))
    return b.bitcast(b.and_(b.bitcast(totals, v.vector(v.i64)), mask), totals.type)


def _magnitude(b: Builder, values: Value) -> Value:
    return v.intrinsic(b, f"llvm.fabs.{v.suffix(v.f64)}", values.type, [values])


def _to_float32(b: Builder, total: Value) -> Value:
    """Round float64 towards zero to the bits of float32; what lies beyond its numbers is infinite."""
    nearest = b.fptrunc(total, v.vector(v.f32))
    size = _magnitude(b, total)
    is_above = b.fcmp_ordered(">", _magnitude(b, b.fpext(nearest, total.type)), size)
    has_number = b.fcmp_ordered("<", size, v.constant(v.f64, 2.0**128))
    bits = b.bitcast(nearest, v.vector(v.i32))
    bits = b.sub(bits, b.zext(b.and_(is_above, has_number), bits.type))
    bits = b.select(b.icmp_unsigned("==", bits, v.constant(v.i32, 1 << 31)), v.constant(v.i32, 0), bits)
    return b.select(b.fcmp_unordered("uno", total, total), v.constant(v.i32, 0x7FFFFFFF), bits)


def _to_float16(b: Builder, total: Value) -> Value:
    """Round float64 to the nearest float16; return its bits in i32."""
    size = _magnitude(b, total)
    field = v.constant(v.i64, 0x7FF << 52)
    power = b.bitcast(b.and_(b.bitcast(size, v.vector(v.i64)), field), size.type)
    least = v.constant(v.f64, 2.0**-14)
    power = b.select(b.fcmp_ordered(">", power, least), power, least)
    large = b.fmul(power, v.constant(v.f64, 1.5 * 2.0**42))  # its last bit is that of a float16
    rounded = b.fsub(b.fadd(size, large), large)
    narrow = b.bitcast(b.fptrunc(b.fmul(rounded, v.constant(v.f64, 2.0**-112)), v.vector(v.f32)), v.vector(v.i32))
    bits = b.lshr(narrow, v.constant(v.i32, 13))
    has_number = b.fcmp_ordered("<", rounded, v.constant(v.f64, 2.0**16))
    bits = b.select(has_number, bits, v.constant(v.i32, 0x7C00))
    sign = b.lshr(b.bitcast(total, v.vector(v.i64)), v.constant(v.i64, 63))
    is_zero = b.icmp_unsigned("==", bits, v.constant(v.i32, 0))
    signed = b.or_(bits, b.shl(b.trunc(sign, v.vector(v.i32)), v.constant(v.i32, 15)))
    bits = b.select(is_zero, bits, signed)
    return b.select(b.fcmp_unordered("uno", total, total), v.constant(v.i32, 0x7FFF), bits)


def _kept(b: Builder, values: Value, keep: Value) -> Value:
    """Return the values of the lanes in a mask, and 0 for the others."""
    lanes = v.to_lanes(b, b.trunc(keep, v.i32))
    return b.select(lanes, values, ir.Constant(values.type, [0] * v.LANES))


@of_words
def add_to_float32(
    b: Builder, values_a: Value, exponents_a: Value, values_b: Value, exponents_b: Value, depth: Value,
    fraction_bits: Value, sums: Value, keep: Value, target: Value,
) -> None:  # fmt: skip
    """Write sums and products, rounded, to a register. keep: lanes whose sum is not taken as 0."""
    group = _Group(values_a, exponents_a, values_b, exponents_b, depth, fraction_bits)
    bits = b.load(v.address(b, sums), typ=v.vector(v.i32), align=64)
    before = b.bitcast(_kept(b, bits, keep), v.vector(v.f32))
    total = _with_bits_of_8(b, _aligned_sum(b, group, before), fraction_bits)
    b.store(_to_float32(b, total), v.address(b, target), align=64)


@of_words
def add_to_float16(
    b: Builder, values_a: Value, exponents_a: Value, values_b: Value, exponents_b: Value, depth: Value,
    fraction_bits: Value, sums: Value, keep: Value, target: Value,
) -> None:  # fmt: skip
    """Write two sums of halves in one register, those of columns 2 t and 2 t + 1, each with its products, rounded."""
    pairs = _kept(b, b.load(v.address(b, sums), typ=v.vector(v.i32), align=64), keep)
    results = []
    for odd in range(2):
        values, exponents = (
            b.add(first, ir.Constant(v.i64, 4 * size * odd)) for first, size in ((values_b, 8), (exponents_b, 4))
        )
        group = _Group(values_a, exponents_a, values, exponents, depth, fraction_bits)
        half = b.and_(b.lshr(pairs, v.constant(v.i32, 16 * odd)), v.constant(v.i32, 0xFFFF))
        before = float32_of(b, half, 5, 10, 0x7C00)
        results.append(_to_float16(b, _aligned_sum(b, group, before)))
    b.store(b.or_(results[0], b.shl(results[1], v.constant(v.i32, 16))), v.address(b, target), align=64)


@of_words
def add_to_int32(
    b: Builder, values_a: Value, values_b: Value, depth: Value, saturates: Value, sums: Value, keep: Value,
    target: Value,
) -> None:  # fmt: skip
    """Write int32 sums and products of integers to a register. saturates: 1 to clamp them, 0 to let them wrap."""

    def added(number: Value, before: list[Value]) -> list[Value]:
        of_a, of_b = plane_of_a(b, v.f64, values_a, number), plane_of_b(b, v.f64, values_b, number)
        return [b.fadd(before[0], b.fmul(of_a, of_b))]

    before = _kept(b, b.load(v.address(b, sums), typ=v.vector(v.i32), align=64), keep)
    (total,) = v.loop(b, depth, [b.sitofp(before, v.vector(v.f64))], added)
    exact = b.fptosi(total, v.vector(v.i64))
    for name, bound in (("smin", (1 << 31) - 1), ("smax", -(1 << 31))):
        clamped = v.intrinsic(b, f"llvm.{name}.{v.suffix(v.i64)}", exact.type, [exact, v.constant(v.i64, bound)])
        exact = b.select(b.icmp_unsigned("!=", saturates, ir.Constant(v.i64, 0)), clamped, exact)
    b.store(b.trunc(exact, v.vector(v.i32)), v.address(b, target), align=64)
