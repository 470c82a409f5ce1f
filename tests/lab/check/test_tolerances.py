"""How near a result must be: exactly so near, in each type."""

from __future__ import annotations

import numpy
import pytest

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
