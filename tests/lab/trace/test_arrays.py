"""What atomics make of bits, beside what the emulator does."""

from __future__ import annotations

import numpy
import pytest

from tilewright.emulate import opcodes as op
from tilewright.lab.trace.arrays import updated_bits


def updated(operation, kind, *numbers, is_shared=False):
    """The number that an atomic leaves, from numbers of its type."""
    dtype = {"u": "uint", "s": "int", "f": "float"}[kind[0]] + kind[1:]
    unsigned = f"uint{kind[1:]}"
    bits = [int(numpy.array([n]).astype(dtype).view(unsigned)[0]) for n in (*numbers, 0, 0)[:3]]
    found = updated_bits(op.ATOMIC_OPERATIONS.index(operation), op.ATOMIC_TYPES.index(kind), *bits, is_shared=is_shared)
    return numpy.array([found]).astype(unsigned).view(dtype)[0]


@pytest.mark.parametrize(
    ("operation", "kind", "numbers", "left"),
    [
        ("add", "u32", (2**32 - 1, 2), 1),
        ("add", "s32", (-3, 2), -1),
        ("add", "f32", (0.1, 0.2), numpy.float32(0.1) + numpy.float32(0.2)),
        ("add", "f64", (0.1, 0.2), 0.1 + 0.2),
        ("min", "s32", (-3, 2), -3),
        ("min", "u32", (3, 2**32 - 1), 3),
        ("max", "s64", (-3, -5), -3),
        ("exch", "f32", (1.5, 2.5), 2.5),
        ("cas", "u32", (7, 7, 9), 9),
        ("cas", "u32", (7, 8, 9), 7),
        ("inc", "u32", (3, 3), 0),
        ("inc", "u32", (2, 3), 3),
        ("dec", "u32", (0, 3), 3),
        ("dec", "u32", (2, 3), 1),
        ("and", "u32", (6, 3), 2),
        ("or", "u32", (6, 3), 7),
        ("xor", "u32", (6, 3), 5),
    ],
)
def test_each_operation(operation, kind, numbers, left):
    """As the PTX ISA says."""
    assert updated(operation, kind, *numbers) == left


@pytest.mark.parametrize("numbers", [(1e-40, 1e-40), (2.0**-126, -1e-40), (-1e-40, -0.0)])
def test_subnormal_sums(numbers):
    """They are zeros in global memory alone, of their sign."""
    terms = numpy.array(numbers, numpy.float32)
    normal = numpy.where(numpy.abs(terms) < 2.0**-126, numpy.copysign(numpy.float32(0), terms), terms)

    for is_shared, left in ((True, terms[0] + terms[1]), (False, normal[0] + normal[1])):
        found = updated("add", "f32", *numbers, is_shared=is_shared)
        assert (found, numpy.signbit(found)) == (left, numpy.signbit(left))


@pytest.mark.parametrize(
    ("operation", "kind", "old", "value", "left"),
    [
        ("add", "f16", 0x3C00, 0x1000, 0x3C00),  # 1 + 2^-11 is a tie
        ("add", "f16x2", 0x3C004000, 0x3C003C00, 0x40004200),
        ("add", "bf16", 0x3F80, 0x3B80, 0x3F80),
        ("add", "bf16", 0x3F81, 0x3B80, 0x3F82),  # another, rounded to the even one
        ("min", "bf16x2", 0x3F807FC0, 0x40003F80, 0x3F803F80),
        ("cas", "u16", 7, 7, 0),
    ],
)
def test_halves(operation, kind, old, value, left):
    """By themselves and in pairs."""
    numbers = op.ATOMIC_OPERATIONS.index(operation), op.ATOMIC_TYPES.index(kind)
    assert updated_bits(*numbers, old, value, 0, is_shared=False) == left
