"""matmul, vecdot and tensordot as the array API standard states them, for arrays that hypothesis draws.

The standard's own test suite (data-apis/array-api-tests) is on no package index; what it checks of these functions is
checked here: result types, shapes, each matrix or vector of a stack by itself, and that what does not fit is refused.
Values are small integers, so that every type holds every sum, and NumPy's integers are what must come out.
"""

from __future__ import annotations

import string
from importlib import import_module
from typing import Any

import numpy
import pytest
from array_api_compat import array_namespace
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tilewright

pytestmark = pytest.mark.slow  # torch and JAX take seconds to import, and only `make test-all` installs them

LIBRARIES = ["numpy", "torch", "jax.numpy", "array_api_strict"]
REAL = ["int8", "int16", "int32", "uint8", "float32", "float64"]
NUMERIC = [*REAL, "complex64", "complex128"]
sides = st.integers(0, 4)


@pytest.fixture(params=LIBRARIES, scope="module")
def xp(request) -> Any:
    """A library; JAX with its 64-bit types."""
    found = import_module(request.param)
    if request.param == "jax.numpy":
        jax = import_module("jax")
        with jax.enable_x64(True):
            yield found
        return
    yield found


def drawn(**strategies):
    """Hypothesis, with as many examples as fit into some seconds for all libraries."""

    def decorate(test):
        health = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
        return settings(max_examples=40, deadline=None, suppress_health_check=health)(given(**strategies)(test))

    return decorate


@st.composite
def broadcastable(draw):
    """Leading extents of A and of B that broadcast, and those of the result."""
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=3))
    return (*shapes.input_shapes, shapes.result_shape)


def numbers(seed, shape):
    """Whole numbers from 0 to 2: unsigned types hold their sums, and complex ones have no other parts."""
    return numpy.random.default_rng(seed).integers(0, 3, shape)


@st.composite
def laid_out(draw, values, dtype):
    """The values in NumPy's array of that type with some strides, byte order, alignment and writability."""
    array = values.astype(dtype)
    axes = draw(st.permutations(range(array.ndim)))
    array = numpy.transpose(numpy.ascontiguousarray(numpy.transpose(array, axes)), numpy.argsort(axes).astype(int))
    for axis in range(array.ndim):
        step = draw(st.sampled_from([1, 1, -1, 2, 0]))
        if step == 0 and array.shape[axis]:
            index = (slice(None),) * axis + (slice(0, 1),)
            array = numpy.broadcast_to(array[index], array.shape)
        elif step != 0:
            every = (slice(None),) * axis + (slice(None, None, step),)
            array = numpy.repeat(array[every] if step < 0 else array, abs(step), axis=axis)[every]
    if draw(st.booleans()):
        memory = numpy.empty(array.nbytes + 1, "u1")[1:] if not array.dtype.hasobject else None
        if memory is not None and array.size:
            misaligned = memory.view(array.dtype).reshape(array.shape)
            misaligned[...] = array
            array = misaligned
    if draw(st.booleans()):
        array = array.view()
        array.flags.writeable = False
    return array


def same(xp, result, expected, dtype):
    """Of the library and the type, and equal."""
    assert str(result.dtype).rpartition(".")[2] == dtype
    assert tuple(result.shape) == expected.shape
    numpy.testing.assert_array_equal(numpy.asarray(result).astype("c16"), expected)
    assert type(result) is type(xp.asarray([0])) or (xp is numpy and result.shape == ())


def promoted(xp, a, b):
    """The name of the type of the two by the library's own rules; None where it has no rule."""
    try:
        return str(array_namespace(xp.asarray([0])).result_type(getattr(xp, a), getattr(xp, b))).rpartition(".")[2]
    except TypeError:
        return numpy.result_type(a, b).name


@drawn(
    batches=broadcastable(),
    mnk=st.tuples(sides, sides, sides),
    vectors=st.tuples(st.booleans(), st.booleans()),
    dtypes=st.tuples(st.sampled_from(NUMERIC), st.sampled_from(NUMERIC)),
    seed=st.integers(0, 99),
)
def test_matmul(xp, batches, mnk, vectors, dtypes, seed):
    """The result's type and shape, and the product of each pair of matrices of the stacks."""
    (m, n, k), (a_batch, b_batch, batch) = mnk, batches
    a = numbers(seed, (k,) if vectors[0] else (*a_batch, m, k))
    b = numbers(seed + 1, (k,) if vectors[1] else (*b_batch, k, n))
    x, y = (xp.asarray(array.astype(dtype)) for array, dtype in zip((a, b), dtypes, strict=True))

    result = tilewright.matmul(x, y)

    same(xp, result, numpy.asarray(a @ b), promoted(xp, *dtypes))
    if not any(vectors):
        stacks = [numpy.broadcast_to(array, batch + array.shape[-2:]) for array in (a, b)]
        for index in numpy.ndindex(*batch):
            found = numpy.asarray(result)[index].astype("c16")
            numpy.testing.assert_array_equal(found, stacks[0][index] @ stacks[1][index])


@drawn(
    batches=broadcastable(),
    k=sides,
    place=st.tuples(st.integers(0, 3), st.booleans()),
    dtypes=st.tuples(st.sampled_from(NUMERIC), st.sampled_from(NUMERIC)),
    seed=st.integers(0, 99),
)
def test_vecdot(xp, batches, k, place, dtypes, seed):
    """The sums along any axis that both have, the first array conjugated."""
    a_batch, b_batch, _ = batches
    a, b = numbers(seed, (*a_batch, k)), numbers(seed + 1, (*b_batch, k))
    a, b = (array * (1 - 2j) if "complex" in dtype else array for array, dtype in zip((a, b), dtypes, strict=True))
    axis = -1 - place[0] % min(a.ndim, b.ndim)
    moved = [numpy.moveaxis(array, -1, axis) for array in (a, b)]
    x, y = (xp.asarray(array.astype(dtype)) for array, dtype in zip(moved, dtypes, strict=True))

    result = tilewright.vecdot(x, y, axis=axis)

    same(xp, result, numpy.asarray((a.conj() * b).sum(-1)), promoted(xp, *dtypes))


@drawn(
    left=st.lists(sides, max_size=2),
    inner=st.lists(sides, max_size=2),
    right=st.lists(sides, max_size=2),
    dtypes=st.tuples(st.sampled_from(NUMERIC), st.sampled_from(NUMERIC)),
    data=st.data(),
)
def test_tensordot(xp, left, inner, right, dtypes, data):
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
    x, y = (xp.asarray(array.astype(dtype)) for array, dtype in zip((a, b), dtypes, strict=True))

    same(xp, tilewright.tensordot(x, y, axes=axes), expected, promoted(xp, *dtypes))


def _remaining(expected, left, right, a_order, b_order, inner):
    """The axes that are left, in the order in which the transposed inputs have them."""
    kept_a = [axis for axis in a_order if axis < len(left)]
    kept_b = [axis - inner + len(left) for axis in b_order if axis >= inner]
    assert len(kept_b) == len(right)
    return numpy.transpose(expected, [*kept_a, *kept_b])


@drawn(
    shapes=st.tuples(*[st.lists(st.integers(0, 3), max_size=3).map(tuple)] * 2),
    operation=st.sampled_from(["matmul", "vecdot", "tensordot", "dot"]),
)
def test_what_numpy_refuses_is_refused(xp, shapes, operation):
    """As a ValueError and as a RuntimeError, with both shapes in the sentence; all else is computed."""
    a, b = (numpy.ones(shape, "f4") for shape in shapes)
    try:
        expected = numpy.asarray(getattr(numpy, operation)(a, b))
    except (ValueError, IndexError):
        expected = None

    if expected is not None:
        assert tuple(getattr(tilewright, operation)(xp.asarray(a), xp.asarray(b)).shape) == expected.shape
        return
    with pytest.raises(tilewright.ShapeError) as refusal:
        getattr(tilewright, operation)(xp.asarray(a), xp.asarray(b))
    assert isinstance(refusal.value, RuntimeError)
    assert all(str(shape) in str(refusal.value) for shape in shapes)


@drawn(
    batches=broadcastable(),
    mnk=st.tuples(sides, sides, sides),
    dtypes=st.tuples(st.sampled_from([*NUMERIC, "float16", ">f8", ">f4", ">i4", "bool", "O", "g"])),
    data=st.data(),
)
def test_layouts_of_numpys_arrays(batches, mnk, dtypes, data):
    """Any strides, also 0 and negative ones, byte orders, alignments, read-only inputs, and `out` that is an input."""
    (m, n, k), (a_batch, b_batch, _) = mnk, batches
    a = data.draw(laid_out(numbers(1, (*a_batch, m, k)), dtypes[0]))
    b = data.draw(laid_out(numbers(2, (*b_batch, k, n)), dtypes[0]))
    expected = a @ b

    result = tilewright.matmul(a, b)

    assert result.dtype == expected.dtype
    numpy.testing.assert_array_equal(result, expected)
    if a.shape == expected.shape and a.flags.writeable and a.dtype == expected.dtype:
        assert tilewright.matmul(a, b, out=a) is a
        numpy.testing.assert_array_equal(a, expected)
