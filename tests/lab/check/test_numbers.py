"""Numbers that kernels are tried with: ranges, signs, and what is exact in which type."""

from __future__ import annotations

import numpy
import pytest

from tilewright.lab.check.element_types import fresh
from tilewright.lab.check.kind import Kind


def drawn(dtype, *, positive):
    """A thousand of them."""
    return fresh(numpy.random.default_rng(), (1000,), numpy.dtype(dtype), positive=positive)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_positive_numbers_lie_around_1(dtype):
    """Others have both signs, and some are large."""
    positive, normal = drawn(dtype, positive=True), drawn(dtype, positive=False)
    assert positive.dtype == normal.dtype == dtype
    assert 0.5 <= positive.min() < positive.max() < 1.5
    assert normal.min() < -1.5
    assert normal.max() > 1.5


def test_integers_are_small():
    """From 1 on where they are to be positive, or have no sign."""
    assert set(drawn("int32", positive=True)) == set(drawn("uint32", positive=False)) == set(range(1, 8))
    assert set(drawn("int32", positive=False)) == set(range(-7, 8))
    assert set(drawn("float16", positive=True)) == set(drawn("float16", positive=False))


def test_quarters_keep_sums_exact():
    """Floats are divided by 4, integers are not; with a 16-bit type among them all stay whole."""
    floats, integers = numpy.array([-3, 8], "f4"), numpy.array([5, 6], "i4")
    a, b = Kind.quarters(floats, integers, [floats.dtype, integers.dtype])
    numpy.testing.assert_array_equal(a, numpy.array([-0.75, 2], "f4"))
    numpy.testing.assert_array_equal(b, integers)
    assert (a.dtype, b.dtype) == (floats.dtype, integers.dtype)
    halves = floats.astype("f2")
    a, b = Kind.quarters(halves, floats, [halves.dtype, floats.dtype])
    numpy.testing.assert_array_equal(a, halves)
    numpy.testing.assert_array_equal(b, floats)
