"""What NumPy's users get of odd calls: the types of its results, and refusals in a sentence where it has errors."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy
import pytest

import tilewright


@pytest.mark.parametrize("elements", [[2, 3], [2.5, 1.0], [Fraction(1, 3), Fraction(2)], [2**70, 1]])
@pytest.mark.parametrize("name", ["matmul", "dot", "vecdot"])
def test_objects_stay_what_they_are(name, elements):
    """A sum of Python's numbers is one of Python's, not NumPy's of 64 bits."""
    a = numpy.array(elements, object)
    if name == "vecdot" and not hasattr(elements[0], "conjugate"):
        return
    expected = getattr(numpy, name)(a, a)
    result = getattr(tilewright, name)(a, a)
    assert (type(result), result) == (type(expected), expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int8", "bool", "complex64", "object", ">f4"])
def test_tensordot_over_all_axes_is_an_array(dtype):
    """Of no dimensions, as NumPy's and the standard's; the sums of vecdot and dot are scalars."""
    a = numpy.ones((2, 3)).astype(dtype)
    expected, result = numpy.tensordot(a, a), tilewright.tensordot(a, a)
    assert isinstance(result, numpy.ndarray)
    assert (result.shape, result.dtype) == ((), expected.dtype)
    assert result == expected
    assert not isinstance(tilewright.vecdot(a, a)[0], numpy.ndarray)


def test_axes_as_numpy_takes_them():
    """Arrays of them, also of no dimensions."""
    a: Any = numpy.arange(6.0).reshape(2, 3)
    several: list[Any] = [numpy.array(1), numpy.array([[1], [0]]), [1, 0]]
    for axes in several:
        numpy.testing.assert_array_equal(tilewright.tensordot(a, a.T, axes), numpy.tensordot(a, a.T, axes))
    numpy.testing.assert_array_equal(tilewright.vecdot(a, a, axis=True), (a * a).sum(1))


def test_elements_that_multiply_nothing():
    """Are refused as what is no number, by whichever function."""
    a = numpy.array([object()])
    for function in (tilewright.matmul, tilewright.dot):
        with pytest.raises(tilewright.DtypeError, match="takes numbers"):
            function(a, a)


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"kernel": None}, tilewright.PlanError, "kernel is None"),
        ({"kernel": 3}, tilewright.PlanError, "kernel is 3"),
        ({"kernel": "none"}, tilewright.UnknownKernelError, "no kernel 'none' for dot"),
        ({"device": ["gpu"]}, tilewright.PlanError, "device is of type list"),
        ({"device": "cuda"}, tilewright.PlanError, "no device 'cuda'"),
        ({"tile": "4"}, tilewright.PlanError, "tile is '4'"),
    ],
)
def test_options_of_dot(wrong, error, words):
    """Say what they are, of matrices, too, for which they do not matter."""
    for shape in ((4,), (4, 4)):
        with pytest.raises(error, match=words):
            tilewright.dot(numpy.ones(shape), numpy.ones(shape), **wrong)
