"""How near a result must be: exactly so near, in each type."""

from __future__ import annotations

import numpy
import pytest

from tilewright.lab.check.find.products import compare
from tilewright.lab.check.run.tolerances import RELATIVE, nearness


@pytest.mark.parametrize(("dtype", "relative"), [("float16", 1e-2), ("float32", 1e-4), ("float64", 1e-10)])
def test_the_bound_of_a_type(dtype, relative):
    """An error of less passes, and one of a little more does not; of the value and of the mean size together."""
    expected = numpy.array([3.0, -1.0])
    for share, passes in ((0.9, True), (1.1, False)):
        got = expected.copy()
        got[0] += share * relative * (3 + 2)
        found = nearness(got.astype(dtype), expected)
        assert found.passed is passes
        assert found.share == pytest.approx(share, rel=0.12)
        assert passes or found.first_wrong == 0
    assert set(RELATIVE) == {"float16", "float32", "float64"}


def test_what_is_no_number():
    """NaN and infinity are right only where they are expected, and integers only where they are equal."""
    nan, infinite = numpy.float32(numpy.nan), numpy.float32(numpy.inf)
    assert nearness(numpy.array([nan, infinite]), numpy.array([numpy.nan, numpy.inf])).passed
    for wrong in ([1, infinite], [nan, 1], [nan, -infinite], [infinite, infinite]):
        assert not nearness(numpy.array(wrong, "f4"), numpy.array([numpy.nan, numpy.inf])).passed
    assert nearness(numpy.array([infinite]), numpy.array([1e300])).passed  # which float32 does not hold
    assert nearness(numpy.array([2, 3]), numpy.array([2, 3])).passed
    assert not nearness(numpy.array([2, 4]), numpy.array([2, 3])).passed
    assert nearness(numpy.zeros(0, "f4"), numpy.zeros(0)).passed


ONES = numpy.ones((2, 3))


def compared(c, dtype, operation="matmul", **more):
    """The comparison of C with the product of ones of that type, 2 x 3 and 3 x 2, of which each element is 3."""
    a, b = ONES.astype(dtype), ONES.T.astype(dtype)
    return compare(operation, a, b, numpy.asarray(c, dtype), **more)


@pytest.mark.parametrize(("dtype", "little", "much"), [("float32", 2**-22, 2**-10), ("float64", 2**-51, 2**-40)])
def test_products_are_compared_within_their_bound(dtype, little, much):
    """The error that is told is that of the element nearest to its bound, or the farthest beyond."""
    right = compared([[3, 3], [3 + little, 3]], dtype)
    assert (right.passed, right.first_wrong) == (True, None)
    assert right.error == little <= right.bound_there
    wrong = compared([[3, 3 + little], [3, 3 + much]], dtype)
    assert (wrong.passed, wrong.first_wrong) == (False, (1, 1))
    assert wrong.error == much > wrong.bound_there > 0


@pytest.mark.parametrize("dtype", ["float16", "int32"])
def test_exact_products_are_compared_exactly(dtype):
    """Of small whole numbers in 16 bits, and of integers: the farthest is told."""
    assert compared([[3, 3], [3, 3]], dtype).passed
    wrong = compared([[3, 4], [3, 9]], dtype)
    assert (wrong.first_wrong, wrong.error, wrong.bound_there) == ((0, 1), 6, 0)


def test_factors_and_what_is_added():
    """Alpha times the product, plus the C operand, each rounded once more."""
    added = numpy.full((2, 2), 5.0)
    assert compared(numpy.full((2, 2), 11), "float32", alpha=2, c_operand=added).passed
    assert compared(numpy.full((2, 2), 11 + 2**-19), "float32", alpha=2, c_operand=added).passed
    assert compared(numpy.full((2, 2), 11 + 2**-16), "float32", alpha=2, c_operand=added).first_wrong == (0, 0)
    assert not compared(numpy.full((2, 2), 3), "float32", alpha=2, c_operand=added).passed


def test_sums_of_whole_numbers_that_begin_with_what_is_added():
    """Each step rounds then, though products in 16 bits are exact; a term left out is no rounding."""
    numbers = numpy.random.default_rng(5)
    a, b = (numbers.integers(-9, 10, shape).astype("float16") for shape in ((3, 70), (70, 4)))
    added = numbers.standard_normal((3, 4))
    c = added.astype("float32")
    for k in range(70):
        c += a[:, k, None].astype("float32") * b[k].astype("float32")

    assert compare("matmul", a, b, c, c_operand=added).passed
    left_out = c - a[:, 69, None].astype("float32") * b[69].astype("float32")
    assert not compare("matmul", a, b, left_out, c_operand=added).passed
