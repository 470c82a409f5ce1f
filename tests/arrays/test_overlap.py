"""Whether two elements of an array are at one place, beside looking at all of them."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import example, given
from hypothesis import strategies as drawn

from tilewright.arrays.errors import ShapeError
from tilewright.arrays.library_array import check_out
from tilewright.arrays.overlap import check_places, shares_places
from tilewright.arrays.places import CUPY

AXES = drawn.lists(drawn.tuples(drawn.integers(0, 5), drawn.integers(-13, 13)), max_size=4)


@given(AXES)
@example([(2, 2), (2, 3), (2, 5)])  # 2 + 3 = 5: no two of the axes alone meet
@example([(2, 3), (4, 2)])
@example([])
def test_as_all_elements_say(axes):
    """Extents of 0 and 1, strides of 0, and both signs among them."""
    shape, strides = tuple(extent for extent, _ in axes), tuple(stride for _, stride in axes)
    places = [sum(i * stride for i, stride in zip(index, strides, strict=True)) for index in numpy.ndindex(*shape)]
    assert shares_places(shape, strides) == (len(set(places)) < len(places))


def test_large_ones_are_decided_by_numbers_alone():
    """Extents that nobody walks through."""
    assert shares_places((2**20, 2**20), (2**20 - 1, 1))
    assert not shares_places((2**20, 2**20), (1, 2**20))
    assert not shares_places((2**20, 2), (2, 1001))  # even ones, and odd ones between them


def test_the_sentence():
    """What was given, and what is accepted."""
    with pytest.raises(ShapeError, match=r"^out is \(3, 4\) float32 with strides \(0, 1\), .* is accepted\.$"):
        check_places((3, 4), (0, 1), "float32")


def test_an_out_whose_rows_are_one_is_refused():
    """Where its library tells strides, in bytes as CuPy does; of others nothing is asked."""
    rows = numpy.lib.stride_tricks.as_strided(numpy.zeros(4, "f4"), (3, 4), (0, 4))
    with pytest.raises(ShapeError, match=r"^out is \(3, 4\) float32 with strides \(0, 1\)"):
        check_out(rows, CUPY, (3, 4), "float32")
    for library in (CUPY, "array_api_strict"):
        check_out(numpy.zeros((3, 4), "f4"), library, (3, 4), "float32")
