"""Descriptions of arrays on a GPU: which bytes they take, how they are read as operands, what an interface says."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tilewright.arrays import cuda_array
from tilewright.arrays.cuda_array import CudaArray, alignment_bytes, from_interface, is_on_gpu, packed_strides
from tilewright.arrays.errors import DtypeError
from tilewright.call.repeated_product import Spans
from tilewright.kernels.operand import Operand

BYTES = {"float16": 2, "float32": 4, "float64": 8, "int8": 1}


@st.composite
def arrays(draw) -> CudaArray:
    """Arrays of up to three dimensions, with strides of any sign, near one another."""
    shape = draw(st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple))
    strides = tuple(draw(st.integers(-5, 5)) for _ in shape)
    dtype = draw(st.sampled_from(sorted(BYTES)))
    return CudaArray(1000 + draw(st.integers(-40, 40)), shape, strides, dtype, 0, None)


def taken(array: CudaArray) -> range:
    """From the first byte that an array has to the last one, counted element by element."""
    at = numpy.array([numpy.dot(index, array.strides) for index in numpy.ndindex(array.shape)] or [0])
    size = BYTES[array.dtype]
    low, high = array.address + int(at.min()) * size, array.address + (int(at.max()) + 1) * size
    return range(low, high if array.size else low)


@given(arrays(), arrays())
def test_which_bytes_an_array_takes(a, b):
    """From its address on, before and after it; two overlap where these ranges do."""
    low, high = a.span

    assert range(a.address + low, a.address + high) == taken(a)
    if a.size and b.size:
        assert a.overlaps(b) == bool(set(taken(a)) & set(taken(b)))
    assert (a.ndim, a.size) == (len(a.shape), numpy.prod(a.shape))


@given(arrays(), arrays(), st.integers(0, 3), st.booleans())
def test_what_an_output_would_overwrite(out, given_array, index, is_alike):
    """An input that shares a byte with it, unless it is the C operand and the output itself."""
    assume(out.size)
    array = replace(given_array, address=out.address, shape=out.shape, strides=out.strides) if is_alike else given_array
    array = replace(array, dtype=out.dtype) if is_alike else array
    inputs: list[CudaArray | None] = [None] * 4
    inputs[index] = array
    addresses = tuple(0 if each is None else each.address for each in inputs)
    touched = Spans(out, tuple(inputs)).touched(addresses, out.address)

    is_itself = index == 2 and out.lies_as(array)
    assert touched == (bool(set(taken(out)) & set(taken(array))) and not is_itself)


@pytest.mark.parametrize(
    ("changes", "is_same"),
    [
        ({}, True),
        ({"device": 1, "owner": "other", "writable": False}, True),
        ({"address": 1016}, False),
        ({"shape": (3, 2)}, False),
        ({"strides": (1, 2)}, False),
        ({"dtype": "float16"}, False),
    ],
)
def test_arrays_that_lie_alike(changes, is_same):
    """The same elements at the same addresses, whoever owns them."""
    array = CudaArray(1000, (2, 3), (3, 1), "float32", 0, None)
    assert array.lies_as(replace(array, **changes)) == is_same
    assert array.layout == ((2, 3), (3, 1), "float32", 1000 % 16)


@pytest.mark.parametrize(
    ("shape", "strides", "batch", "is_column", "operand"),
    [
        ((5, 7), (9, 2), (), False, Operand(5, 7, 9, 2, (), ())),
        ((7,), (3,), (), False, Operand(1, 7, 0, 3, (), ())),
        ((7,), (3,), (), True, Operand(7, 1, 3, 0, (), ())),
        ((4, 5, 7), (90, 9, 2), (4,), False, Operand(5, 7, 9, 2, (4,), (90,))),
        ((1, 5, 7), (90, 9, 2), (4,), True, Operand(5, 7, 9, 2, (4,), (0,))),
        ((4, 5, 7), (90, 9, 2), (3, 2, 4), False, Operand(5, 7, 9, 2, (3, 2, 4), (0, 0, 90))),
        ((2, 1, 5, 7), (70, 80, 9, 2), (2, 4), False, Operand(5, 7, 9, 2, (2, 4), (70, 0))),
    ],
)
def test_operands(shape, strides, batch, is_column, operand):
    """A vector is a row or a column, and what is broadcast has stride 0."""
    array = CudaArray(1000, shape, strides, "float32", 0, None)
    assert array.operand(batch, vector_is_column=is_column) == replace(operand, alignment_bytes=8)


@pytest.mark.parametrize(
    ("axis", "batch", "is_column", "operand"),
    [
        (2, (4, 5), False, Operand(1, 7, 0, 2, (4, 5), (90, 9))),
        (2, (4, 5), True, Operand(7, 1, 2, 0, (4, 5), (90, 9))),
        (0, (5, 7), False, Operand(1, 4, 0, 90, (5, 7), (9, 2))),
        (1, (3, 4, 7), True, Operand(5, 1, 9, 0, (3, 4, 7), (0, 90, 2))),
    ],
)
def test_batches_of_vectors(axis, batch, is_column, operand):
    """Along any axis; the others are the batch."""
    array = CudaArray(1000, (4, 5, 7), (90, 9, 2), "float32", 0, None)
    assert array.vector(axis, batch, is_column=is_column) == replace(operand, alignment_bytes=8)


def test_broadcasting_copies_nothing():
    """New dimensions and those of one element have stride 0."""
    array = CudaArray(1000, (4, 1, 7), (90, 9, 2), "float32", 3, "owner")
    assert array.broadcast_to((2, 4, 5, 7)) == CudaArray(1000, (2, 4, 5, 7), (0, 90, 0, 2), "float32", 3, "owner")


@pytest.mark.parametrize(
    ("address", "alignment"), [(0, 16), (1, 1), (2, 2), (6, 2), (12, 4), (24, 8), (48, 16), (64, 16), (2**40 + 8, 8)]
)
def test_alignment(address, alignment):
    """Powers of two up to 16; an array without memory has any."""
    assert alignment_bytes(address) == alignment


@given(st.lists(st.integers(1, 4), max_size=4).map(tuple))
def test_packed_strides(shape):
    """As NumPy has them, in elements."""
    assert packed_strides(shape) == tuple(stride // 4 for stride in numpy.empty(shape, "f4").strides)


def described(**interface: Any) -> SimpleNamespace:
    """An array with an interface: float32 (2, 3) at 1000 but for what is given."""
    whole = {"shape": (2, 3), "typestr": "<f4", "data": (1000, False), "version": 3, **interface}
    return SimpleNamespace(__cuda_array_interface__=whole)


@pytest.fixture
def _memory(monkeypatch):
    """Addresses are all of GPU 5."""
    monkeypatch.setattr(cuda_array, "_device", lambda address: 5 if address else 0)


@pytest.mark.usefixtures("_memory")
@pytest.mark.parametrize(
    ("interface", "changes"),
    [
        ({}, {}),
        ({"strides": None, "mask": None}, {}),
        ({"strides": (24, -8)}, {"strides": (6, -2)}),
        ({"data": (1000, True)}, {"writable": False}),
        ({"data": (0, False)}, {"address": 0, "device": 0}),
        ({"data": (None, False)}, {"address": 0, "device": 0}),
        ({"stream": 7}, {"producer_stream": 7}),
        ({"typestr": "<f2"}, {"dtype": "float16"}),
        ({"typestr": "|i1"}, {"dtype": "int8"}),
        ({"typestr": "|u1"}, {"dtype": "uint8"}),
        ({"typestr": "<i8"}, {"dtype": "int64"}),
        ({"typestr": "<u2"}, {"dtype": "uint16"}),
    ],
)
def test_what_an_interface_says(interface, changes):
    """Strides are in bytes there, and in elements here."""
    given_array = described(**interface)
    expected = CudaArray(1000, (2, 3), (3, 1), "float32", 5, given_array)
    assert from_interface(given_array, "A") == replace(expected, **changes)


@pytest.mark.usefixtures("_memory")
@pytest.mark.parametrize(("typestr", "is_known"), [("<V2", True), ("|V2", True), ("<V4", False), ("<f4", True)])
def test_bfloat16_has_no_name_in_an_interface(typestr, is_known):
    """Two bytes without a type, of an array that says bfloat16 itself."""
    given_array = described(typestr=typestr)
    given_array.dtype = "bfloat16"
    if is_known:
        assert from_interface(given_array, "A").dtype == ("float32" if typestr == "<f4" else "bfloat16")
        given_array.dtype = "other"
    if typestr != "<f4":
        with pytest.raises(
            DtypeError, match=r"^A is \(2, 3\) .V[24], and float16, bfloat16, float32, float64 are mult"
        ):
            from_interface(given_array, "A")


@pytest.mark.usefixtures("_memory")
@pytest.mark.parametrize(
    ("interface", "said"),
    [
        ({"mask": "some"}, r"^A is a masked array, and its mask would be lost\.$"),
        ({"typestr": ">f4"}, r"^A is \(2, 3\) >f4, whose byte order no GPU has\.$"),
        ({"typestr": "<c8"}, r"^A is \(2, 3\) <c8, and float16, bfloat16, float32, float64 are multiplied on a GPU\.$"),
        (
            {"strides": (12, 3)},
            r"^A is \(2, 3\) float32 with strides of \(12, 3\) bytes, which are no whole elements\.$",
        ),
    ],
)
def test_interfaces_that_are_refused(interface, said):
    """In one sentence."""
    with pytest.raises(DtypeError, match=said):
        from_interface(described(**interface), "A")


@pytest.mark.parametrize(
    ("given_object", "is_there"),
    [
        (described(), True),
        (SimpleNamespace(__dlpack_device__=lambda: (2, 0)), True),
        (SimpleNamespace(__dlpack_device__=lambda: (13, 0)), True),
        (SimpleNamespace(__dlpack_device__=lambda: (1, 0)), False),
        (SimpleNamespace(__dlpack_device__=(2, 0)), False),
        (numpy.zeros(3), False),
        (3.0, False),
        (type("Array", (), {"__cuda_array_interface__": property(lambda _: {})}), False),
    ],
)
def test_what_is_on_a_gpu(given_object, is_there):
    """By its interface or by DLPack's kind of memory; a class is no array."""
    assert is_on_gpu(given_object) == is_there
