"""What NumPy reads as an array, its subclasses, and types that are not its own: in as NumPy takes them."""

from __future__ import annotations

import array
from types import SimpleNamespace
from typing import Any

import numpy
import pytest

import tilewright

B = numpy.arange(12.0).reshape(3, 4)


class ByArray:
    """What has `__array__` and nothing else, as a data frame."""

    def __array__(self, dtype=None, copy=None):
        del dtype, copy
        return B[:2, :3]


READ: list[Any] = [
    B[:2, :3].copy().data,
    array.array("d", [1, 2, 3]),
    range(3),
    ByArray(),
    SimpleNamespace(__array_interface__=B[:2, :3].__array_interface__, kept=B),
]


@pytest.mark.parametrize("given", READ, ids=lambda given: type(given).__name__)
def test_what_numpy_reads(given):
    """By each function, on either side, as NumPy does."""
    numpy.testing.assert_array_equal(tilewright.matmul(given, B), numpy.matmul(given, B))
    numpy.testing.assert_array_equal(tilewright.dot(given, B), numpy.dot(given, B))
    numpy.testing.assert_array_equal(tilewright.tensordot(given, B, 1), numpy.tensordot(given, B, 1))
    numpy.testing.assert_array_equal(tilewright.vecdot(given, given), (numpy.asarray(given) ** 2).sum(-1))
    assert tilewright.explain(given, B).machine == "host"


class Unreadable:
    """An array of a GPU's library, in NumPy's eyes."""

    def __array__(self, dtype=None, copy=None):
        raise TypeError("it is on a GPU;\ncopy it first")


@pytest.mark.parametrize(
    "given", [{1: 2}, {1, 2}, "abc", b"abc", bytearray(8), iter([1]), None, object(), numpy.ndarray]
)
def test_what_is_no_array_of_numbers(given):
    """An array of one object, or of characters, would be made of these."""
    with pytest.raises(tilewright.DtypeError, match=r"A is a .* are accepted"):
        tilewright.matmul(given, B)


@pytest.mark.parametrize("given", [Unreadable(), [Unreadable()]])
def test_what_says_it_cannot_be_read(given):
    """In the sentence."""
    with pytest.raises(
        tilewright.DtypeError, match=r"B is a \w+ that NumPy cannot read: it is on a GPU; copy it first"
    ):
        tilewright.matmul(B, given)


class Own(numpy.ndarray):
    """A subclass."""


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_subclasses(dtype):
    """In 16 bits and with an epilogue as NumPy has them without, by the foremost's rule; `out` is itself."""
    a, b = (numpy.ones((3, 3), dtype) for _ in range(2))
    for left, right in ((a.view(Own), b), (a, b.view(Own)), (a.view(numpy.matrix), b.view(Own)), (a[0].view(Own), b)):
        expected = numpy.matmul(left, right)
        for result in (tilewright.matmul(left, right), tilewright.matmul(left, right, alpha=1.5, out_dtype="float32")):
            assert (type(result), result.shape) == (type(expected), expected.shape)
        assert type(tilewright.dot(left, right)) is type(numpy.dot(left, right))
    out = numpy.zeros((3, 3), dtype)
    assert tilewright.matmul(a.view(Own), b, out) is out
    assert type(tilewright.matmul(a, b)) is numpy.ndarray


def test_c_and_bias_of_whole_numbers():
    """Python's and NumPy's, and bool; complex ones are refused."""
    a, whole = numpy.ones((2, 3), "float32"), [1, 2, 3, 4]
    expected = numpy.matmul(a, B.astype("float32")) + whole
    for given in (whole, numpy.array(whole, "u1")):
        numpy.testing.assert_array_equal(tilewright.matmul(a, B.astype("float32"), bias=given), expected)
        result = tilewright.matmul(a, B.astype("float32"), c=given, beta=True)
        assert result.dtype == "float32"
        numpy.testing.assert_array_equal(result, expected)
    with pytest.raises(
        tilewright.DtypeError, match=r"bias is \(4,\) complex128, and .* integers and bool are accepted"
    ):
        tilewright.matmul(a, B, bias=numpy.ones(4, complex))


@pytest.mark.slow  # with what only `make test-all` installs
def test_bfloat16_with_other_types():
    """As NumPy's products promote them, which has no other rule for some of these pairs."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    a = numpy.ones((2, 3), bfloat16)
    for dtype in ("float16", "int8", "int32", "bool", "float32", "float64", "complex64"):
        b = numpy.ones((3, 4), dtype)
        expected = numpy.matmul(a, b).dtype
        for result in (tilewright.matmul(a, b), tilewright.dot(a, b), tilewright.vecdot(a, b.T[:2])):
            assert result.dtype == expected
            assert (result == 3).all()
    assert tilewright.matmul(a, a.T).dtype == bfloat16
