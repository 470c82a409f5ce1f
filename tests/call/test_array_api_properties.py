"""matmul, vecdot and tensordot as the array API standard states them, for every library on the host."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy
import pytest
from hypothesis import strategies as st

import tilewright
from tests.call import array_api_properties as properties
from tests.call.array_api_properties import NUMERIC, broadcastable, drawn, numbers, sides

pytestmark = pytest.mark.slow  # torch and JAX take seconds to import, and only `make test-all` installs them

LIBRARIES = ["numpy", "torch", "jax.numpy", "array_api_strict"]
EXAMPLES = 40


class OnTheHost:
    """A library, with what the properties need of it."""

    def __init__(self, name):
        self.xp: Any = import_module(name)

    def array(self, values, dtype):
        """Numbers as an array of that type."""
        return self.xp.asarray(numpy.asarray(values).astype(dtype))

    def values(self, array):
        """The numbers of an array."""
        return numpy.asarray(array)

    def name(self, array):
        """Its type's name."""
        return str(array.dtype).rpartition(".")[2]

    def is_own(self, array):
        """Whether it is the library's own; NumPy has scalars, too."""
        return type(array) is type(self.xp.asarray([0])) or (self.xp is numpy and isinstance(array, numpy.generic))


@pytest.fixture(params=LIBRARIES, scope="module")
def library(request):
    """A library; JAX with its 64-bit types."""
    if request.param != "jax.numpy":
        yield OnTheHost(request.param)
        return
    with import_module("jax").enable_x64(True):
        yield OnTheHost(request.param)


test_matmul = drawn(EXAMPLES, properties.MATMUL)(properties.check_matmul)
test_vecdot = drawn(EXAMPLES, properties.VECDOT)(properties.check_vecdot)
test_tensordot = drawn(EXAMPLES, properties.TENSORDOT)(properties.check_tensordot)
test_refusals = drawn(EXAMPLES, properties.SHAPES, properties.NUMBERS_AND_ARRAYS)(
    properties.check_what_numpy_refuses_is_refused
)


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


@drawn(
    60,
    {
        "batches": broadcastable(),
        "mnk": st.tuples(sides, sides, sides),
        "dtype": st.sampled_from([*NUMERIC, "float16", ">f8", ">f4", ">i4", "bool", "O", "g"]),
        "data": st.data(),
    },
)
def test_layouts_of_numpys_arrays(batches, mnk, dtype, data):
    """Any strides, also 0 and negative ones, byte orders, alignments, read-only inputs, and `out` that is an input."""
    (m, n, k), (a_batch, b_batch, _) = mnk, batches
    a = data.draw(laid_out(numbers(1, (*a_batch, m, k)), dtype))
    b = data.draw(laid_out(numbers(2, (*b_batch, k, n)), dtype))
    expected = a @ b

    result = tilewright.matmul(a, b)

    assert result.dtype == expected.dtype
    numpy.testing.assert_array_equal(result, expected)
    if a.shape == expected.shape and a.flags.writeable and a.dtype == expected.dtype:
        assert tilewright.matmul(a, b, out=a) is a
        numpy.testing.assert_array_equal(a, expected)
