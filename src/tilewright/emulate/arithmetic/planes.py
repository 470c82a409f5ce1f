"""Elements of small matrices as float64, with their exponents beside them: what tensor cores multiply.

A line of 32 bytes is widened first, then spread over planes, one for each inner index. Of A a plane holds, for 16 rows,
the 4 lanes each that add to a sum in that row; of B it holds 8 columns, the even ones first. Lane 4 g + t has rows
g and g + 8 of a sum, and its columns 2 t and 2 t + 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from tilewright.emulate.arithmetic import vectors as v
from tilewright.emulate.arithmetic.vectors import Builder, Value
from tilewright.emulate.compiled import of_words

LINE_BYTES = 32
"""Bytes of a line of elements: all of an instruction's inner index, or 16 rows of A at one inner index."""
MOST_DEPTH = 32
PLANE_A_BYTES, PLANE_B_BYTES = 2 * 32 * 8, 8 * 8
"""Of the values at one inner index: 16 rows of A on 32 lanes, 8 columns of B; the exponents take half of it."""
NO_EXPONENT = -4096
"""Of zero, which aligns nothing, and of infinities and NaN, which the sum becomes whatever the others are."""
_ZERO = ir.Constant(v.i32, 0)


def all_of(like: Value, value: int) -> Value:
    """Return a constant in every lane of a vector's type."""
    return ir.Constant(like.type, [value] * like.type.count)


def vector_of(element: Any, count: int) -> Any:
    """Return the LLVM type of `count` elements."""
    return ir.VectorType(element, count)


def float32_of(b: Builder, bits: Value, exponent_bits: int, mantissa_bits: int, top: int) -> Value:
    """Return small floats as float32. bits: each in an i32. top: the magnitude from which on it is no number."""
    width = exponent_bits + mantissa_bits
    sign = b.shl(b.and_(bits, all_of(bits, 1 << width)), all_of(bits, 31 - width))
    magnitude = b.and_(bits, all_of(bits, (1 << width) - 1))
    shifted = b.shl(magnitude, all_of(bits, 23 - mantissa_bits))
    as_float = vector_of(v.f32, bits.type.count)
    # Read as float32 the exponent is too small; a product with a power of two also mends subnormals.
    factor = ir.Constant(as_float, [2.0 ** (128 - (1 << (exponent_bits - 1)))] * bits.type.count)
    scaled = b.bitcast(b.fmul(b.bitcast(shifted, as_float), factor), bits.type)
    special = b.or_(shifted, all_of(bits, 0x7F800000))
    chosen = b.select(b.icmp_unsigned(">=", magnitude, all_of(bits, top)), special, scaled)
    return b.bitcast(b.or_(chosen, sign), as_float)


def exponents_of(b: Builder, values: Value, least: int) -> Value:
    """Return the exponents of float32, those of subnormal numbers as `least`."""
    bits = b.bitcast(values, vector_of(v.i32, values.type.count))
    field = b.and_(b.lshr(bits, all_of(bits, 23)), all_of(bits, 255))
    exponents = b.sub(field, all_of(bits, 127))
    exponents = b.select(b.icmp_signed("<", exponents, all_of(bits, least)), all_of(bits, least), exponents)
    is_zero = b.icmp_unsigned("==", b.shl(bits, all_of(bits, 1)), all_of(bits, 0))
    has_none = b.or_(is_zero, b.icmp_unsigned("==", field, all_of(bits, 255)))
    return b.select(has_none, all_of(bits, NO_EXPONENT), exponents)


def _widen_halves(b: Builder, line: Value) -> tuple[Value, int]:
    bits = b.zext(b.load(v.address(b, line), typ=vector_of(v.i16, 16), align=2), vector_of(v.i32, 16))
    return float32_of(b, bits, 5, 10, 0x7C00), -14


def _widen_bfloats(b: Builder, line: Value) -> tuple[Value, int]:
    bits = b.zext(b.load(v.address(b, line), typ=vector_of(v.i16, 16), align=2), vector_of(v.i32, 16))
    return b.bitcast(b.shl(bits, all_of(bits, 16)), vector_of(v.f32, 16)), -126


def _widen_tf32(b: Builder, line: Value) -> tuple[Value, int]:
    """Of a float32 the tensor cores read the upper 19 bits."""
    bits = b.load(v.address(b, line), typ=vector_of(v.i32, 8), align=4)
    return b.bitcast(b.and_(bits, all_of(bits, 0xFFFFE000)), vector_of(v.f32, 8)), -126


def _bytes(b: Builder, line: Value, extend: str) -> Value:
    loaded = b.load(v.address(b, line), typ=vector_of(v.i8, LINE_BYTES), align=1)
    return getattr(b, extend)(loaded, vector_of(v.i32, LINE_BYTES))


def _widen_e4m3(b: Builder, line: Value) -> tuple[Value, int]:
    return float32_of(b, _bytes(b, line, "zext"), 4, 3, 0x7F), -6


def _widen_e5m2(b: Builder, line: Value) -> tuple[Value, int]:
    return float32_of(b, _bytes(b, line, "zext"), 5, 2, 0x7C), -14


def _widen_signed(b: Builder, line: Value) -> tuple[Value, int]:
    return b.sitofp(_bytes(b, line, "sext"), vector_of(v.f32, LINE_BYTES)), 0


def _widen_unsigned(b: Builder, line: Value) -> tuple[Value, int]:
    return b.uitofp(_bytes(b, line, "zext"), vector_of(v.f32, LINE_BYTES)), 0


def _widening(widen: Callable[[Builder, Value], tuple[Value, int]]) -> Any:
    @of_words
    def widened(b: Builder, line: Value, values: Value, exponents: Value, sign: Value) -> None:
        """Write the float64 of a line of elements and their exponents. sign: 1 to negate them, else 0."""
        narrow, least = widen(b, line)
        bits = b.bitcast(narrow, vector_of(v.i32, narrow.type.count))
        flip = b.shl(b.trunc(sign, v.i32), ir.Constant(v.i32, 31))
        one = b.insert_element(ir.Constant(bits.type, ir.Undefined), flip, _ZERO)
        flips = b.shuffle_vector(one, one, all_of(bits, 0))
        signed = b.bitcast(b.xor(bits, flips), narrow.type)
        b.store(b.fpext(signed, vector_of(v.f64, narrow.type.count)), v.address(b, values), align=64)
        b.store(exponents_of(b, narrow, least), v.address(b, exponents), align=64)

    return widened


widen_f16, widen_bf16, widen_tf32 = _widening(_widen_halves), _widening(_widen_bfloats), _widening(_widen_tf32)
widen_e4m3, widen_e5m2 = _widening(_widen_e4m3), _widening(_widen_e5m2)
widen_s8, widen_u8 = _widening(_widen_signed), _widening(_widen_unsigned)


def _pieces(values: Value, exponents: Value, to_values: Value, to_exponents: Value) -> list[tuple[Any, Value, Value]]:
    """Return type, source and target of what is copied from a widened line to planes."""
    return [(v.f64, values, to_values), (v.i32, exponents, to_exponents)]


def _spreading(plane_bytes: int, lanes: int) -> Any:
    @of_words
    def spread(
        b: Builder, values: Value, exponents: Value, to_values: Value, to_exponents: Value, depth: Value
    ) -> None:
        """Copy each element of a row of A or column of B to the target in the plane of its index."""

        def body(number: Value, _: list[Value]) -> list[Value]:
            for element, source, target in _pieces(values, exponents, to_values, to_exponents):
                size = _size(element)
                one = b.load(v.address(b, source, b.mul(number, ir.Constant(v.i64, size))), typ=element, align=size)
                first = b.insert_element(ir.Constant(vector_of(element, lanes), ir.Undefined), one, _ZERO)
                same = b.shuffle_vector(first, first, ir.Constant(vector_of(v.i32, lanes), [0] * lanes))
                place = v.address(b, target, b.mul(number, ir.Constant(v.i64, plane_bytes // 8 * size)))
                b.store(same, place, align=lanes * size)
            return []

        v.loop(b, depth, [], body)

    return spread


spread_row, spread_column = _spreading(PLANE_A_BYTES, 4), _spreading(PLANE_B_BYTES, 1)


@of_words
def spread_rows(b: Builder, values: Value, exponents: Value, to_values: Value, to_exponents: Value) -> None:
    """Copy 16 elements of A at one inner index, one of each row, to the plane of that index."""
    for element, source, target in _pieces(values, exponents, to_values, to_exponents):
        for half in range(2):
            size = _size(element)
            rows = b.load(v.address(b, source, 8 * half * size), typ=vector_of(element, 8), align=8 * size)
            lanes = b.shuffle_vector(rows, rows, ir.Constant(v.vector(v.i32), [lane // 4 for lane in range(v.LANES)]))
            b.store(lanes, v.address(b, target, v.LANES * half * size), align=64)


@of_words
def spread_columns(b: Builder, values: Value, exponents: Value, to_values: Value, to_exponents: Value) -> None:
    """Copy 8 elements of B at one inner index, one of each column, to the plane of that index."""
    for element, source, target in _pieces(values, exponents, to_values, to_exponents):
        size = _size(element)
        columns = b.load(v.address(b, source), typ=vector_of(element, 8), align=8 * size)
        order = ir.Constant(vector_of(v.i32, 8), [0, 2, 4, 6, 1, 3, 5, 7])
        b.store(b.shuffle_vector(columns, columns, order), v.address(b, target), align=8 * size)


def _size(element: Any) -> int:
    return 8 if element == v.f64 else 4


def plane_of_a(b: Builder, element: Any, first: Value, number: Value) -> Value:
    """Return 8 rows of A at one inner index, each on 4 lanes."""
    at = b.add(first, b.mul(number, ir.Constant(v.i64, PLANE_A_BYTES // 8 * _size(element))))
    return b.load(v.address(b, at), typ=v.vector(element), align=64)


def plane_of_b(b: Builder, element: Any, first: Value, number: Value) -> Value:
    """Return 4 columns of B at one inner index, for the lanes of each row."""
    at = b.add(first, b.mul(number, ir.Constant(v.i64, PLANE_B_BYTES // 8 * _size(element))))
    four = b.load(v.address(b, at), typ=vector_of(element, 4), align=4 * _size(element))
    return b.shuffle_vector(four, four, ir.Constant(v.vector(v.i32), [lane % 4 for lane in range(v.LANES)]))
