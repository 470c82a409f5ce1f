"""What the array API standard states of matmul, vecdot and tensordot, checked for arrays that hypothesis draws.

The standard's own test suite (data-apis/array-api-tests) is on no package index; what it checks of these functions is
checked here: result types, shapes, each matrix or vector of a stack by itself, and that what does not fit is refused.
Values are small integers, so that every type holds every sum, and NumPy's integers are what must come out.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from typing import Any, Protocol

import numpy
import pytest
from array_api_compat import array_namespace
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tilewright

REAL = ["int8", "int16", "int32", "uint8", "float32", "float64"]
NUMERIC = [*REAL, "complex64", "complex128"]
sides = st.integers(0, 4)
dtypes = st.tuples(st.sampled_from(NUMERIC), st.sampled_from(NUMERIC))


class Library(Protocol):
    """What the checks need of a library of arrays."""

    xp: Any

    def array(self, values: Any, dtype: str) -> Any:
        """Numbers as an array of that type, where the library's arrays are to be."""

    def values(self, array: Any) -> Any:
        """The numbers of an array, as NumPy's."""

    def name(self, array: Any) -> str:
        """Its type's name."""

    def is_own(self, array: Any) -> bool:
        """Whether it is the library's own, where its arrays are to be."""


def drawn(examples: int, strategies: dict[str, Any], always: Iterable[dict[str, Any]] = ()) -> Any:
    """Hypothesis, with so many examples besides those that are always tried."""

    def decorate(test):
        health = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
        whole = given(**strategies)(test)
        for stated in always:
            whole = example(**stated)(whole)
        return settings(max_examples=examples, deadline=None, suppress_health_check=health)(whole)

    return decorate


@st.composite
def broadcastable(draw):
    """Leading extents of A and of B that broadcast, and those of the result."""
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=3))
    return (*shapes.input_shapes, shapes.result_shape)


def numbers(seed, shape):
    """Whole numbers from 0 to 2: unsigned types hold their sums, and complex ones have no other parts."""
    return numpy.random.default_rng(seed).integers(0, 3, shape)


def same(library, result, expected, dtype):
    """Of the library and the type, and equal."""
    assert library.is_own(result)
    assert (library.name(result), tuple(result.shape)) == (dtype, expected.shape)
    numpy.testing.assert_array_equal(library.values(result).astype("c16"), expected)


def promoted(library, a, b):
    """The name of the type of the two by the library's own rules; NumPy's where it has no rule."""
    xp = library.xp
    try:
        namespace = array_namespace(library.array(numpy.zeros(1), "float32"))
        return str(namespace.result_type(getattr(xp, a), getattr(xp, b))).rpartition(".")[2]
    except TypeError:
        return numpy.result_type(a, b).name


MATMUL: dict[str, Any] = {
    "batches": broadcastable(),
    "mnk": st.tuples(sides, sides, sides),
    "vectors": st.tuples(st.booleans(), st.booleans()),
    "dtypes": dtypes,
    "seed": st.integers(0, 99),
}


def check_matmul(library, batches, mnk, vectors, dtypes, seed):
    """The result's type and shape, and the product of each pair of matrices of the stacks."""
    (m, n, k), (a_batch, b_batch, batch) = mnk, batches
    a = numbers(seed, (k,) if vectors[0] else (*a_batch, m, k))
    b = numbers(seed + 1, (k,) if vectors[1] else (*b_batch, k, n))
    x, y = (library.array(array, dtype) for array, dtype in zip((a, b), dtypes, strict=True))

    result = tilewright.matmul(x, y)

    same(library, result, numpy.asarray(a @ b), promoted(library, *dtypes))
    if not any(vectors):
        stacks = [numpy.broadcast_to(array, batch + array.shape[-2:]) for array in (a, b)]
        for index in numpy.ndindex(*batch):
            found = library.values(result)[index].astype("c16")
            numpy.testing.assert_array_equal(found, stacks[0][index] @ stacks[1][index])


VECDOT: dict[str, Any] = {
    "batches": broadcastable(),
    "k": sides,
    "place": st.tuples(st.integers(0, 3), st.booleans()),
    "dtypes": dtypes,
    "seed": st.integers(0, 99),
}


def check_vecdot(library, batches, k, place, dtypes, seed):
    """The sums along any axis that both have, the first array conjugated."""
    a_batch, b_batch, _ = batches
    a, b = numbers(seed, (*a_batch, k)), numbers(seed + 1, (*b_batch, k))
    a, b = (array * (1 - 2j) if "complex" in dtype else array for array, dtype in zip((a, b), dtypes, strict=True))
    axis = -1 - place[0] % min(a.ndim, b.ndim)
    moved = [numpy.moveaxis(array, -1, axis) for array in (a, b)]
    x, y = (library.array(array, dtype) for array, dtype in zip(moved, dtypes, strict=True))

    result = tilewright.vecdot(x, y, axis=axis)

    same(library, result, numpy.asarray((a.conj() * b).sum(-1)), promoted(library, *dtypes))


TENSORDOT: dict[str, Any] = {
    "left": st.lists(sides, max_size=2),
    "inner": st.lists(sides, max_size=2),
    "right": st.lists(sides, max_size=2),
    "dtypes": dtypes,
    "data": st.data(),
}


def check_tensordot(library, left, inner, right, dtypes, data):
    """The sums over any axes, named as a number of them, or one by one from the front or from the back."""
    a_order = data.draw(st.permutations(range(len(left) + len(inner))))
    b_order = data.draw(st.permutations(range(len(right) + len(inner))))
    by_count = data.draw(st.booleans())
    a, b = numbers(1, (*left, *inner)), numbers(2, (*inner, *right))
    letters = string.ascii_letters
    i, s, j = letters[: len(left)], letters[10 : 10 + len(inner)], letters[20 : 20 + len(right)]
    expected = numpy.asarray(numpy.einsum(f"{i}{s},{s}{j}->{i}{j}", a, b))
    axes: Any = len(inner)
    if not by_count:
        a, b = numpy.transpose(a, a_order), numpy.transpose(b, b_order)
        a_axes = [a_order.index(len(left) + number) for number in range(len(inner))]
        b_axes = [b_order.index(number) for number in range(len(inner))]
        axes = (a_axes, [axis - b.ndim for axis in b_axes])
        expected = _remaining(expected, left, right, a_order, b_order, len(inner))
    x, y = (library.array(array, dtype) for array, dtype in zip((a, b), dtypes, strict=True))

    same(library, tilewright.tensordot(x, y, axes=axes), expected, promoted(library, *dtypes))


def _remaining(expected, left, right, a_order, b_order, inner):
    """The axes that are left, in the order in which the transposed inputs have them."""
    kept_a = [axis for axis in a_order if axis < len(left)]
    kept_b = [axis - inner + len(left) for axis in b_order if axis >= inner]
    assert len(kept_b) == len(right)
    return numpy.transpose(expected, [*kept_a, *kept_b])


SHAPES: dict[str, Any] = {
    "shapes": st.tuples(*[st.lists(st.integers(0, 3), max_size=3).map(tuple)] * 2),
    "operation": st.sampled_from(["matmul", "vecdot", "tensordot", "dot"]),
}
NUMBERS_AND_ARRAYS: list[dict[str, Any]] = [
    {"shapes": shapes, "operation": "dot"}
    for shape in ((), (3,), (2, 3), (0, 0))
    for shapes in (((), shape), (shape, ()))
]
"""A number, as an array, beside arrays of each kind: what only dot takes."""


def check_what_numpy_refuses_is_refused(library, shapes, operation):
    """As a ValueError and as a RuntimeError, with both shapes in the sentence; all else is computed."""
    a, b = (numpy.ones(shape) for shape in shapes)
    x, y = (library.array(array, "float32") for array in (a, b))
    try:
        expected = numpy.asarray(getattr(numpy, operation)(a, b))
    except (ValueError, IndexError):
        expected = None

    if expected is not None:
        assert tuple(getattr(tilewright, operation)(x, y).shape) == expected.shape
        return
    with pytest.raises(tilewright.ShapeError) as refusal:
        getattr(tilewright, operation)(x, y)
    assert isinstance(refusal.value, RuntimeError)
    assert all(str(shape) in str(refusal.value) for shape in shapes)
