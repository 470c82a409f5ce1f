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


def test_small_matrices_go_to_numpy_at_once(monkeypatch):
    """NumPy's own of one type that fit, and nothing asked: the checks are not even entered. All else is checked."""
    a, b = numpy.arange(12.0).reshape(3, 4), numpy.arange(20.0).reshape(4, 5)[:, ::-1]
    whole = tilewright.matmul(a, b, device="host")
    monkeypatch.setattr("tilewright.call.matmul.place_of", lambda **_: pytest.fail("it was looked at"))

    numpy.testing.assert_array_equal(tilewright.matmul(a, b), whole)
    out = numpy.zeros((3, 5))
    assert tilewright.matmul(a, b, out) is out
    numpy.testing.assert_array_equal(out, whole)
    assert tilewright.matmul(a.astype(">f4"), b.astype("<f4").astype(">f4")).dtype == numpy.dtype("float32")
    for given in (
        {"b": b.astype("float32")},
        {"b": b[:3]},
        {"b": b[:, 0]},
        {"a": a.view(numpy.matrix)},
        {"alpha": True},
        {"alpha": 1.0},
        {"out": numpy.zeros((3, 4))},
        {"out": numpy.zeros((3, 5), "float32")},
        {"out": numpy.broadcast_to(numpy.zeros(5), (3, 5))},
        {"out": [[0.0] * 5] * 3},
        {"kernel": "numpy"},
        {"bias": numpy.zeros(5)},
    ):
        with pytest.raises(pytest.fail.Exception):
            tilewright.matmul(**{"a": a, "b": b} | given)


def test_matrices_for_which_a_gpu_may_pay_are_not_small():
    """From choose/trip.py's number of operations on, the verdict is asked for."""
    from tilewright.call.small_arrays import extents_of

    edge = numpy.broadcast_to(numpy.float32(1), (1024, 1024))

    assert extents_of(edge[:1023], edge) == (1023, 1024)
    assert extents_of(edge, edge) is None
