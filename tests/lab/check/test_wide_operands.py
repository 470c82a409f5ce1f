"""Operands for a C of a wider type: in a narrower one, long sums of their products overflow or are rounded."""

import numpy
import pytest

from tilewright.lab.check.element_types import BFLOAT16, as_type, numbers
from tilewright.lab.check.judge.wide_operands import wide_operands

ONES = numpy.ones((64, 64))


def widened(own, c, shape=ONES):
    """A and B of a type, for a C of another one."""
    a = as_type(shape, numpy.dtype(own))
    return wide_operands(a, a, {"A": a.dtype, "B": a.dtype, "C": numpy.dtype(c)}, numpy.random.default_rng(3))


@pytest.mark.parametrize(
    ("own", "c", "factor"), [("int8", "int32", 12), ("int16", "int32", 100), ("int32", "int64", 30000)]
)
def test_whole_numbers_are_larger(own, c, factor):
    """So that 16 or 32 bits do not hold the sum of 64 products of sevens."""
    a, b = widened(own, c, 7 * ONES)
    assert (a == 7 * factor).all()
    assert (7 * factor) ** 2 * 64 > numpy.iinfo(numpy.dtype(f"int{4 * numpy.dtype(c).itemsize}")).max
    assert b.dtype == numpy.dtype(own)


@pytest.mark.parametrize(("own", "factor"), [("int8", 12), ("uint8", 12), ("int16", 100), ("uint32", 30000)])
def test_sums_in_64_bits(own, factor):
    """They hold what is asked of 32 bits beside narrower operands."""
    assert all((each == 7 * factor).all() for each in widened(own, f"{own.rstrip('0123456789')}64", 7 * ONES))


@pytest.mark.parametrize("terms", [1, 64, 192, 5000, 1 << 15, 1 << 26])
def test_sums_of_32_bits_fit(terms):
    """They are odd, so that a float of 24 bits rounds them where they are large, and 32 bits hold four of them."""
    a, _ = widened("int32", "int32", numpy.full((1, terms), 7))
    assert a[0, 0] % 2 == 1
    assert a[0, 0] == 7 or 4 * terms * int(a[0, 0]) ** 2 < 1 << 31
    assert terms != 192 or 8 * terms**0.5 * 16 * int(a[0, 0] // 7) ** 2 > 1 << 24


@pytest.mark.parametrize(("takes_all", "factor"), [(True, 4600), (False, 100)])
def test_all_numbers_of_16_bits(takes_all, factor):
    """Where a file speaks of them; two products still fit in 32 bits, and four do not."""
    a = (7 * ONES).astype("int16")
    dtypes = {"A": a.dtype, "B": a.dtype, "C": numpy.dtype("int64")}
    found, _ = wide_operands(a, a, dtypes, numpy.random.default_rng(3), takes_all=takes_all)
    assert (found == 7 * factor).all()
    assert 2 * (7 * 4600) ** 2 < 2**31 < 4 * (7 * 4600) ** 2


@pytest.mark.parametrize(
    ("own", "c"), [("int8", "int8"), ("int64", "int64"), ("float32", "float64"), ("float16", "float16")]
)
def test_others_stay_as_they_are(own, c):
    """What C's own type is narrow for is no sum of the kernel's."""
    assert (widened(own, c)[0] == 1).all()


def test_products_of_halves_are_exact_and_long_sums_are_not():
    """In half itself, while float holds all of them."""
    a, b = (each.astype(numpy.float64) for each in widened("float16", "float32"))
    products = a[:, :, None] * b[None, :, :]
    assert (products.astype(numpy.float16) == products).all()
    assert ((a @ b).astype(numpy.float32) == a @ b).all()
    long = numpy.tile(a, 16) @ numpy.tile(b, (16, 1))
    assert (long.astype(numpy.float16) != long).any()


def test_products_of_bfloat16_are_exact():
    """They have eight bits."""
    a, b = (numbers(each) for each in widened(BFLOAT16, "float32"))
    products = a[0] * b[:, 0]
    assert (numbers(as_type(products, BFLOAT16)) == products).all()
    assert abs(products).max() > 3
