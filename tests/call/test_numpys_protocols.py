"""Arrays that override NumPy's functions: they are asked before anything is read from them."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tilewright


class Asked:
    """Has numbers, and answers NumPy's functions with their names and options."""

    def __array__(self, dtype=None, copy=None):
        return numpy.ones((4, 4), dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return ufunc.__name__, method, len(inputs), options

    def __array_function__(self, function, types, arguments, options):
        return function.__name__, options


class Refuses(Asked):
    """Is for none of NumPy's ufuncs."""

    __array_ufunc__ = None  # type: ignore[assignment]


SQUARE = numpy.ones((4, 4))


@pytest.mark.parametrize("name", ["matmul", "dot", "tensordot"])
def test_asked_as_by_numpy(name):
    """On either side, and as `out`."""
    ours, its = getattr(tilewright, name), getattr(numpy, name)
    assert ours(Asked(), SQUARE)[0] == its(Asked(), SQUARE)[0] == name
    assert ours(SQUARE, Asked()) == its(SQUARE, Asked(), **({"axes": 2} if name == "tensordot" else {}))
    if name != "tensordot":
        out = Asked()
        assert ours(SQUARE, SQUARE, out=out) == its(SQUARE, SQUARE, out=out)


def test_vecdot_of_one():
    """With its axis, unless it is the last. NumPy 1 has no such ufunc, and there the numbers are read."""
    result = tilewright.vecdot(Asked(), SQUARE, axis=0)
    its = getattr(numpy, "vecdot", None)
    if its is not None:
        assert result == its(Asked(), SQUARE, axis=0)
        assert tilewright.vecdot(SQUARE, Asked()) == its(SQUARE, Asked())
    else:
        numpy.testing.assert_array_equal(result, 4.0)


def test_what_numpy_has_no_function_for_is_read():
    """An epilogue, a kernel by name and the reduced product."""
    numpy.testing.assert_array_equal(tilewright.matmul(Asked(), SQUARE, alpha=2), 8.0)
    numpy.testing.assert_array_equal(tilewright.matmul(Asked(), SQUARE, kernel="numpy"), 4.0)
    numpy.testing.assert_array_equal(tilewright.reduced_matmul(Asked(), SQUARE), 16.0)


def test_refused():
    """What has no ufuncs is refused as by NumPy, in a sentence."""
    with pytest.raises(tilewright.DtypeError, match="matmul is not for such arrays: operand 'Refuses'"):
        tilewright.matmul(Refuses(), SQUARE)
    with pytest.raises(tilewright.DtypeError, match="masked array"):
        tilewright.matmul(numpy.ma.ones((4, 4)), SQUARE)


@pytest.mark.parametrize("axes", [-1, -3, numpy.int64(-2)])
def test_fewer_axes_than_none(axes):
    """The outer product, as in NumPy."""
    a, b = numpy.arange(6.0).reshape(2, 3), numpy.arange(4.0)
    numpy.testing.assert_array_equal(tilewright.tensordot(a, b, axes), numpy.tensordot(a, b, axes))


@pytest.mark.slow
def test_fewer_axes_than_none_of_torchs():
    """Torch takes none, and neither do its tensors here."""
    torch = pytest.importorskip("torch", reason="torch is not installed: make test-all brings it")
    with pytest.raises(tilewright.ShapeError, match="axes is -1, and torch's tensors take 0 or more"):
        tilewright.tensordot(torch.ones(2), torch.ones(2), -1)


def test_asked_with_numpys_keywords():
    """Which are passed on as they are."""
    keywords: dict[str, Any] = {"axes": [(0, 1), (0, 1), (0, 1)], "casting": "no"}
    assert tilewright.matmul(Asked(), SQUARE, **keywords) == numpy.matmul(Asked(), SQUARE, **keywords)
    its: Any = getattr(numpy, "vecdot", None)
    if its is not None:
        for options in ({"keepdims": True}, {"axis": 0, "keepdims": True}):
            assert tilewright.vecdot(SQUARE, Asked(), **options) == its(SQUARE, Asked(), **options)
