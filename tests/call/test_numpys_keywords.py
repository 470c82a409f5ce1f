"""The keywords of NumPy's ufuncs: results, types, layouts and refusals as NumPy's own functions have them.

CuPy has NumPy's functions under the same names, so NumPy stands in for it: what is done for CuPy's arrays is compared
with what NumPy's own functions give.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy
import pytest

import tilewright
from tilewright.call import numpys_keywords

HAS_VECDOT = hasattr(numpy, "vecdot")
needs_vecdot = pytest.mark.skipif(not HAS_VECDOT, reason="NumPy 1 has no vecdot")


def numbers(*shape, dtype="float64", seed=0):
    """Small integers, so that sums are exact in every type and order."""
    return numpy.random.default_rng(seed + sum(shape)).integers(-3, 4, shape).astype(dtype)


class Own(numpy.ndarray):
    """A subclass."""


A, B = numbers(2, 3, 4), numbers(4, 5, 2)
MATMUL: list[dict[str, Any]] = [
    {"axes": [(1, 2), (0, 1), (0, 1)]},
    {"axes": [(1, 2), (0, 1), (-1, 0)]},
    {"axes": [(-2, -1), (0, 1), (2, 1)], "order": "F"},
    {"axes": [(1, 2), (0, 1), (0, 1)], "dtype": "float32"},
    {"axes": [(1, 2), (0, 1), (0, 1)], "dtype": "int64", "casting": "unsafe"},
    {"axes": [(1, 2), (0, 1), (1, 2)], "order": "C", "casting": "safe"},
]
VECDOT: list[dict[str, Any]] = [
    {"keepdims": True},
    {"keepdims": False, "axis": 0},
    {"axis": 1, "keepdims": True},
    {"axes": [0, 2]},
    {"axes": [(1,), -2, ()]},
    {"axes": [0, 2, 1], "keepdims": True},
    {"dtype": "complex128", "order": "F"},
]


def same(result, expected):
    """Whether the type, the shape, the layout and the numbers are equal."""
    assert type(result) is type(expected)
    assert result.dtype == expected.dtype
    for extent, *strides in zip(expected.shape, result.strides, expected.strides, strict=True):
        assert extent == 1 or len(set(strides)) == 1
    numpy.testing.assert_array_equal(result, expected)


def by_cupys_way(monkeypatch, operation, a, b, out=None, **keywords):
    """What is done for CuPy's arrays, with NumPy in CuPy's place."""
    monkeypatch.setitem(sys.modules, "cupy", numpy)
    return numpys_keywords._of_cupy(getattr(tilewright, operation), a, b, out, keywords)


@pytest.mark.parametrize("keywords", MATMUL)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8"])
def test_matmul(keywords, dtype):
    """Of every type that NumPy multiplies."""
    a, b = A.astype(dtype), B.astype(dtype)
    casting = keywords.get("casting", "same_kind")
    if not numpy.can_cast(dtype, keywords.get("dtype", dtype), casting):
        with pytest.raises(TypeError, match="cast"):
            tilewright.matmul(a, b, **keywords)
        return
    same(tilewright.matmul(a, b, **keywords), numpy.matmul(a, b, **keywords))


@needs_vecdot
@pytest.mark.parametrize("keywords", VECDOT)
@pytest.mark.parametrize("dtype", ["float64", "float16", "complex64"])
def test_vecdot(keywords, dtype):
    """Of every type that NumPy multiplies."""
    a, b = numbers(3, 3, 3, dtype=dtype), numbers(3, 3, 3, dtype=dtype, seed=1)
    same(tilewright.vecdot(a, b, **keywords), numpy.vecdot(a, b, **keywords))


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_out(dtype):
    """Along its own axes, and of a type to which the rule casts."""
    a, b = A.astype(dtype), B.astype(dtype)
    keywords: dict[str, Any] = {"axes": [(1, 2), (0, 1), (0, 1)]}
    expected = numpy.matmul(a, b, **keywords)
    for into, casting in (("float64", "same_kind"), ("int32", "unsafe"), ("float32", "same_kind")):
        out = numpy.full(expected.shape, 9, into)
        assert tilewright.matmul(a, b, out, casting=casting, **keywords) is out
        numpy.testing.assert_array_equal(out, expected)
    with pytest.raises(TypeError, match=r"int32"):
        tilewright.matmul(a, b, numpy.zeros(expected.shape, "int32"), **keywords)
    with pytest.raises(TypeError, match="float"):
        tilewright.matmul(a, b, numpy.zeros(expected.shape, "complex64"), casting="no", **keywords)
    with pytest.raises(ValueError, match=r"out|operand|dimension"):
        tilewright.matmul(a, b, numpy.zeros((2, 2), dtype), **keywords)


def test_subok():
    """A subclass is kept unless it is not wanted, in 16 bits too."""
    for dtype in ("float64", "float16"):
        a = numbers(3, 3, dtype=dtype).view(Own)
        assert type(tilewright.matmul(a, a, subok=True)) is Own
        assert type(tilewright.matmul(a, a, subok=False)) is numpy.ndarray


def test_signature_and_a_wider_sum():
    """`signature` is NumPy's; 16-bit numbers that are summed in a wider type are not rounded to theirs."""
    a = numpy.full((1, 3000), 1.0009765625, "float16")
    several: list[dict[str, Any]] = [{"signature": "ff->f"}, {"dtype": "float32"}, {"signature": (None, None, "f4")}]
    for keywords in several:
        same(tilewright.matmul(a, a.T, **keywords), numpy.matmul(a, a.T, **keywords))
    assert tilewright.matmul(a, a.T, casting="same_kind").dtype == "float16"
    with pytest.raises(TypeError):
        tilewright.matmul(a, a.T, signature="ff->f", dtype="float32")


def test_sixteen_bits_are_rounded_once():
    """The same numbers as without keywords: 2^11 ones and a half more cannot be counted in float16."""
    a = numpy.ones((1, 4096), "float16")
    assert tilewright.matmul(a, a.T, order="C") == tilewright.matmul(a, a.T) == 4096
    huge = numpy.full((1, 4), 6e4, "float16")
    with numpy.errstate(all="raise"):
        assert numpy.isinf(tilewright.matmul(huge, huge.T, order="C"))


@pytest.mark.slow  # with what only `make test-all` installs
def test_bfloat16():
    """Stays bfloat16, which NumPy's own function does not know."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    keywords: dict[str, Any] = {"axes": [(1, 2), (0, 1), (0, 1)]}
    a, b = A.astype(bfloat16), B.astype(bfloat16)
    expected = numpy.matmul(A, B, **keywords)
    result = tilewright.matmul(a, b, **keywords)
    assert result.dtype == bfloat16
    numpy.testing.assert_array_equal(result.astype("float64"), expected)
    wide = tilewright.matmul(a, b, dtype="float32", **keywords)
    assert wide.dtype == "float32"
    numpy.testing.assert_array_equal(wide, expected)
    assert tilewright.matmul(a, b, dtype=bfloat16, **keywords).dtype == bfloat16
    assert tilewright.matmul(a, b, signature="dd->d", **keywords).dtype == "float64"
    with pytest.raises(TypeError, match=r"not cast to bfloat16|Cannot cast"):
        tilewright.matmul(a, b, dtype="int8", **keywords)
    out = numpy.zeros(expected.shape, bfloat16)
    assert tilewright.matmul(a, b, out, **keywords) is out
    numpy.testing.assert_array_equal(out.astype("float64"), expected)


@needs_vecdot
def test_a_type_of_vecdots_sums():
    """Any that NumPy's takes, also without other keywords."""
    a = numbers(4, 5, dtype="int8")
    same(tilewright.vecdot(a, a, dtype="float64"), numpy.vecdot(a, a, dtype="float64"))
    its: Any = numpy.vecdot  # whose stubs know no axis
    same(tilewright.vecdot(a, a, dtype="int32", axis=0), its(a, a, dtype="int32", axis=0))
    with pytest.raises(TypeError, match="Cannot cast"):
        tilewright.vecdot(a.astype("float32"), a, dtype="int8")


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"where": True}, "unexpected keyword argument 'where'; of NumPy's it takes axes, axis"),
    ({"extobj": []}, "unexpected keyword argument 'extobj'"),
    ({"axis": 0}, "axis"),
    ({"keepdims": True}, "keepdims"),
    ({"order": "C", "alpha": 2}, "order goes with NumPy's own product, and alpha is Tilewright's"),
    ({"order": "C", "kernel": "tiled"}, "and kernel is Tilewright's"),
    ({"dtype": "f4", "bias": numpy.ones(3)}, "dtype goes with NumPy's own product, and bias"),
    ({"casting": "no", "device": "emulator"}, "and device is Tilewright's"),
]


@pytest.mark.parametrize(("keywords", "words"), REFUSED)
def test_refused(keywords, words):
    """What NumPy's function has not, and ours beside NumPy's."""
    a = numbers(3, 3)
    with pytest.raises(TypeError, match=words):
        tilewright.matmul(a, a, **keywords)


def test_defaults_of_ours_are_none():
    """An option of ours that is given as its default is as left out."""
    a = numbers(3, 3)
    numpy.testing.assert_array_equal(tilewright.matmul(a, a, order="F", alpha=1.0, kernel="auto", c=None), a @ a)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["torch", "jax"])
def test_other_libraries(library):
    """Say whose keywords these are."""
    xp = pytest.importorskip("jax.numpy" if library == "jax" else library)
    a = xp.ones((3, 3))
    with pytest.raises(tilewright.DtypeError, match=f"axes is a keyword of NumPy's matmul .* these are {library}'s"):
        tilewright.matmul(a, a, axes=[(0, 1), (0, 1), (0, 1)])
    with pytest.raises(tilewright.DtypeError, match="keepdims is a keyword of NumPy's vecdot"):
        tilewright.vecdot(a, a, keepdims=True)


@pytest.mark.parametrize("keywords", MATMUL)
def test_cupys_matmul(monkeypatch, keywords):
    """As NumPy's; the layout only where it is asked for."""
    expected = numpy.matmul(A, B, **keywords)
    result = by_cupys_way(monkeypatch, "matmul", A, B, **keywords)
    assert result.dtype == expected.dtype
    numpy.testing.assert_array_equal(result, expected)
    if "order" in keywords:
        assert result.strides == expected.strides


@needs_vecdot
@pytest.mark.parametrize("keywords", VECDOT)
def test_cupys_vecdot(monkeypatch, keywords):
    """As NumPy's."""
    a, b = numbers(3, 3, 3), numbers(3, 3, 3, seed=1)
    expected = numpy.vecdot(a, b, **keywords)
    result = by_cupys_way(monkeypatch, "vecdot", a, b, **keywords)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    numpy.testing.assert_array_equal(result, expected)


def test_cupys_axes_in_every_order(monkeypatch):
    """Of three axes of cubes, and vectors among them."""
    a, b = numbers(3, 3, 3), numbers(3, 3, 3, seed=1)
    pairs = list(itertools.permutations((0, 1, -1), 2))
    several: Any = itertools.product(pairs, pairs, pairs[:3])
    for axes in map(list, several):
        numpy.testing.assert_array_equal(
            by_cupys_way(monkeypatch, "matmul", a, b, axes=axes), numpy.matmul(a, b, axes=axes), str(axes)
        )
    of_vectors: list[Any] = [[(0,), (1, 0), (0,)], [(-1,), (0, 2), (1,)]]
    for axes in of_vectors:
        right = b[0] if axes[1] == (1, 0) else b
        numpy.testing.assert_array_equal(
            by_cupys_way(monkeypatch, "matmul", a[0, 0], right, axes=axes), numpy.matmul(a[0, 0], right, axes=axes)
        )


def test_cupys_out(monkeypatch):
    """Of the shape after the axes are moved, and of a type to which the rule casts."""
    keywords: dict[str, Any] = {"axes": [(1, 2), (0, 1), (2, 0)]}
    expected = numpy.matmul(A, B, **keywords)
    for dtype, casting in (("float64", "no"), ("float32", "same_kind"), ("int8", "unsafe")):
        out = numpy.zeros(expected.shape, dtype)
        assert by_cupys_way(monkeypatch, "matmul", A, B, out, casting=casting, **keywords) is out
        numpy.testing.assert_array_equal(out, expected.astype(dtype))
    with pytest.raises(tilewright.DtypeError, match=r"out is .* int8, which cannot hold the float64"):
        by_cupys_way(monkeypatch, "matmul", A, B, numpy.zeros(expected.shape, "int8"), **keywords)
    with pytest.raises(tilewright.ShapeError, match=r"out is \(2,\) float64, but the result is"):
        by_cupys_way(monkeypatch, "matmul", A, B, numpy.zeros(2), **keywords)


def test_cupys_order_of_both(monkeypatch):
    """With "A" it is column-major where both operands are."""
    a, b = numpy.asfortranarray(numbers(3, 4)), numpy.asfortranarray(numbers(4, 5))
    assert by_cupys_way(monkeypatch, "matmul", a, b, order="A").flags.f_contiguous
    assert not by_cupys_way(monkeypatch, "matmul", a, b.copy(), order="A").flags.f_contiguous


CUPYS_REFUSALS: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("matmul", {"axes": ((0, 1), (0, 1), (0, 1))}, TypeError, "axes is of type tuple"),
    ("matmul", {"axes": [(0, 1), (0, 1)]}, ValueError, "axes has 2 entries"),
    ("vecdot", {"axes": [0]}, ValueError, "axes has 1 entries"),
    ("matmul", {"axes": [0, (0, 1), (0, 1)]}, ValueError, "axes names 1 of A's axes"),
    ("matmul", {"axes": [(0, 1), (0, 1), (0,)]}, ValueError, "axes names 1 of the result's axes"),
    ("vecdot", {"axes": [0, 0, 0]}, ValueError, "axes names 1 of the result's axes"),
    ("matmul", {"axes": [(0, 3), (0, 1), (0, 1)]}, ValueError, "an array with 3 axes"),
    ("matmul", {"axes": [(0, -3), (0, 1), (0, 1)]}, ValueError, "names an axis twice"),
    ("matmul", {"axes": [(0, 1), (0, 1), (1, -2)]}, ValueError, "axes gives the result's as"),
    ("matmul", {"axes": [(0, 1), (0, 1), (0, 3)]}, ValueError, "axes gives the result's as"),
    ("matmul", {"axes": [(0, 1.0), (0, 1), (0, 1)]}, TypeError, "whole numbers and tuples"),
    ("matmul", {"axes": [(0, 1), None, (0, 1)]}, TypeError, "whole numbers and tuples"),
    ("matmul", {"axis": 0}, TypeError, "axis is for sums along one axis"),
    ("matmul", {"keepdims": False}, TypeError, "keepdims is for sums along one axis"),
    ("vecdot", {"keepdims": "true"}, TypeError, "keepdims is 'true'"),
    ("vecdot", {"axis": 0, "axes": [0, 0]}, TypeError, "axis and axes say the same"),
    ("matmul", {"order": "Z"}, ValueError, "order is 'Z'"),
    ("matmul", {"casting": "all"}, ValueError, "casting is 'all'"),
    ("matmul", {"dtype": "int8"}, TypeError, "not cast to int8 by the rule 'same_kind'"),
    ("matmul", {"signature": "dd->d"}, TypeError, "signature goes with NumPy's arrays"),
]


@pytest.mark.parametrize(("operation", "keywords", "error", "words"), CUPYS_REFUSALS)
def test_cupys_refusals(monkeypatch, operation, keywords, error, words):
    """Of NumPy's class for the same call, but a sentence."""
    a = numbers(3, 3, 3)
    with pytest.raises(error, match=words):
        by_cupys_way(monkeypatch, operation, a, a, **keywords)


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_dots_out_is_as_numpys(dtype):
    """Of the result's type, and rows without gaps; matmul's may lie and be otherwise."""
    a = numbers(4, 4, dtype=dtype)
    for kernel in ("auto", "numpy"):
        out = numpy.zeros((4, 4), dtype)
        assert tilewright.dot(a, a, out, kernel=kernel) is out
        for wrong, words in (
            (numpy.zeros((4, 4), "complex128"), "the result's type, is what dot takes"),
            (numpy.zeros((4, 4), dtype, order="F"), "with strides of"),
            (numpy.zeros((4, 8), dtype)[:, ::2], "rows without gaps"),
        ):
            with pytest.raises(ValueError, match=words):
                tilewright.dot(a, a, wrong, kernel=kernel)
            assert not wrong.any()
            assert tilewright.matmul(a, a, wrong) is wrong
