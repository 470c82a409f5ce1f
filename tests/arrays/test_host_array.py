"""Arrays of the host of every library: in as they are, out of the same library in the same place, never mixed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy
import pytest

import tilewright

pytestmark = pytest.mark.slow  # torch and JAX take seconds to import, and only `make test-all` installs them

LIBRARIES = ["numpy", "torch", "jax.numpy", "array_api_strict"]


@pytest.fixture(params=LIBRARIES)
def xp(request) -> Any:
    """A library of arrays."""
    return import_module(request.param)


def numbers(*shape):
    """Small integers in float32, whose sums are exact."""
    return numpy.random.default_rng(sum(shape)).integers(-3, 4, shape).astype("f4")


def is_like(result, array, expected):
    """Of the array's library, on its device, of its type, and with the values expected."""
    assert type(result) is type(array)
    assert (result.dtype, result.device) == (array.dtype, array.device)
    assert tuple(result.shape) == expected.shape
    numpy.testing.assert_array_equal(numpy.asarray(result), expected)
    return True


@pytest.mark.parametrize(
    ("operation", "shapes", "options"),
    [
        ("matmul", [(3, 4), (4, 5)], {}),
        ("matmul", [(2, 1, 3, 4), (5, 4, 2)], {}),
        ("matmul", [(3, 0), (0, 2)], {}),
        ("matmul", [(0, 3), (3, 2)], {}),
        ("dot", [(3, 4), (2, 4, 5)], {}),
        ("dot", [(2, 4), (4,)], {}),
        ("dot", [(), (2, 3)], {}),
        ("vecdot", [(3, 1, 4), (2, 4)], {}),
        ("vecdot", [(4, 3), (4, 3)], {"axis": 0}),
        ("vecdot", [(3, 0), (3, 0)], {}),
        ("tensordot", [(2, 3, 4), (3, 4, 5)], {}),
        ("tensordot", [(2, 3), (4, 5)], {"axes": 0}),
        ("tensordot", [(2, 3, 4), (4, 5, 3)], {"axes": ((1, -1), (2, 0))}),
    ],
)
def test_a_library_in_is_that_library_out(xp, operation, shapes, options):
    """Each operation, as NumPy computes it."""
    a, b = (numbers(*shape) for shape in shapes)
    x, y = xp.asarray(a), xp.asarray(b)

    result = getattr(tilewright, operation)(x, y, **options)

    assert is_like(result, x, getattr(numpy, operation)(a, b, **options))


def test_the_reduced_product(xp):
    """Seed 003's, for a batch."""
    a, b = numbers(2, 4, 3), numbers(3, 6)
    x = xp.asarray(a)

    result = tilewright.reduced_matmul(x, xp.asarray(b))

    assert is_like(result, x, (a[:, 0::2] + a[:, 1::2]) @ (b[:, 0::2] + b[:, 1::2]))


def test_two_vectors(xp):
    """NumPy has scalars; the others have arrays without dimensions."""
    a = numbers(5)
    x = xp.asarray(a)

    for operation in (tilewright.matmul, tilewright.dot, tilewright.vecdot):
        result = operation(x, x)
        assert float(result) == float(a @ a)
        assert isinstance(result, numpy.float32 if xp is numpy else type(x))


def test_kernels_by_name(xp):
    """The host's arrays of every library go to the emulator and back."""
    a, b = numbers(3, 4), numbers(4, 2)
    x, y = xp.asarray(a), xp.asarray(b)

    assert is_like(tilewright.matmul(x, y, kernel="tiled", device="emulator"), x, a @ b)
    reduced = tilewright.reduced_matmul(y, xp.asarray(b.T.copy()), device="emulator")
    assert is_like(reduced, x, (b[::2] + b[1::2]) @ (b.T[:, ::2] + b.T[:, 1::2]))
    assert tilewright.explain(x, y).machine == "host"


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "uint8", "complex64"])
def test_types_without_a_kernel(xp, dtype):
    """As NumPy multiplies them, whatever the library itself does: torch has no product of bool."""
    a, b = numbers(3, 4).astype(dtype), numbers(4, 2).astype(dtype)
    x, y = xp.asarray(a), xp.asarray(b)

    assert is_like(tilewright.matmul(x, y), x, a @ b)
    assert is_like(tilewright.vecdot(x, x), x, numpy.vecdot(a, a))


@pytest.mark.parametrize(
    ("dtypes", "torchs", "jaxs"),
    [
        (("float32", "int32"), "float32", "float32"),
        (("float16", "float32"), "float32", "float32"),
        (("int8", "uint8"), "int16", "int16"),
        (("float32", "complex64"), "complex64", "complex64"),
    ],
)
def test_types_promote_as_the_library_says(dtypes, torchs, jaxs):
    """Torch and JAX keep an integer from making float32 longer; NumPy does not."""
    for name, expected in (("torch", torchs), ("jax.numpy", jaxs), ("numpy", numpy.result_type(*dtypes).name)):
        xp = import_module(name)
        a, b = (xp.ones((2, 2), dtype=getattr(xp, dtype)) for dtype in dtypes)
        assert str(tilewright.matmul(a, b).dtype).rpartition(".")[2] == expected
        assert str(tilewright.vecdot(a, b).dtype).rpartition(".")[2] == expected


@pytest.mark.parametrize("library", ["torch", "jax.numpy"])
def test_bfloat16_is_rounded_once(library):
    """256 ones and then halves: each sum of bfloat16 would lose them."""
    xp = import_module(library)
    a = xp.asarray([[256.0] + [0.5] * 8], dtype=xp.bfloat16)
    ones = xp.ones((9, 1), dtype=xp.bfloat16)

    for result in (tilewright.matmul(a, ones), tilewright.tensordot(a, ones, 1), tilewright.dot(a, ones)):
        assert (result.dtype, float(result[0, 0])) == (xp.bfloat16, 260.0)
    mixed = tilewright.matmul(a, xp.ones((9, 1), dtype=xp.float16))
    assert (mixed.dtype, float(mixed[0, 0])) == (xp.float32, 260.0)


def test_out(xp):
    """Written and returned where the library's arrays can be written, and it may be an input."""
    a = numbers(4, 4)
    x = xp.asarray(a.copy())
    if xp.__name__ == "jax.numpy":
        with pytest.raises(ValueError, match="out is a jax Array, and these are read-only"):
            tilewright.matmul(x, x, out=x)
        return
    for operation in (tilewright.matmul, tilewright.dot, tilewright.vecdot):
        y = xp.asarray(a.copy())
        out = xp.asarray(a[0].copy()) if operation is tilewright.vecdot else y
        assert operation(y, y, out) is out
        expected = numpy.vecdot(a, a) if operation is tilewright.vecdot else a @ a
        numpy.testing.assert_array_equal(numpy.asarray(out), expected)
    too_wide, too_coarse = xp.zeros((4, 5), dtype=xp.float32), xp.zeros((4, 4), dtype=xp.int32)
    for wrong, error in ((too_wide, tilewright.ShapeError), (too_coarse, tilewright.DtypeError)):
        with pytest.raises(error, match="out is"):
            tilewright.matmul(x, x, out=wrong)


def test_libraries_are_not_mixed():
    """Each pair is refused in a sentence that names both."""
    arrays = {name: import_module(name).asarray(numbers(2, 2)) for name in LIBRARIES}
    for name, a in arrays.items():
        for other, b in arrays.items():
            if name != other:
                for operation in (tilewright.matmul, tilewright.dot, tilewright.vecdot, tilewright.tensordot):
                    with pytest.raises(tilewright.DtypeError, match=r"A is an? .* and B is an? .*; arrays of one kind"):
                        operation(a, b)


class Shared:
    """What has DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OfSharedLibrary(Shared):
    """And this has a library of one class, too."""

    def __init__(self, array):
        super().__init__(array)
        self.dtype, self.device, self.shape = array.dtype, "cpu", array.shape

    def __array_namespace__(self, api_version=None):
        del api_version
        return SharedLibrary


class SharedLibrary:
    """What it can do."""

    from_dlpack = staticmethod(lambda given: OfSharedLibrary(numpy.from_dlpack(given)))
    asarray = staticmethod(lambda given, device: given)  # noqa: ARG005


def test_what_shares_itself_on_the_host():
    """DLPack is enough to come in; a library's functions take the result, or else it is NumPy's."""
    a = numbers(3, 4)
    result = tilewright.matmul(OfSharedLibrary(a), OfSharedLibrary(a.T))
    assert isinstance(result, OfSharedLibrary)
    numpy.testing.assert_array_equal(result.array, a @ a.T)

    plain = tilewright.matmul(Shared(a), Shared(a.T.astype("f8")))
    assert (type(plain), plain.dtype) == (numpy.ndarray, "float64")
    numpy.testing.assert_array_equal(plain, a @ a.T)
    with pytest.raises(tilewright.DtypeError, match="out is a Shared, which nothing here can write"):
        tilewright.matmul(Shared(a), Shared(a.T), Shared(a))
