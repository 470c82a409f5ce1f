"""Graded products of every library on the host, and of arrays on a GPU with the emulator in its place."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy
import pytest

from tests.arrays import emulated_gpu
from tests.call.graded_products import DTYPES, PRODUCTS, check
from tests.call.test_cuda_product import FORCED
from tilewright.launch.cuda import device as cuda_device

NEEDS_LIBRARY = pytest.mark.slow  # torch and JAX take seconds to import, and only `make test-all` installs them


class OnTheHost:
    """A library's arrays."""

    def __init__(self, name):
        self.xp: Any = pytest.importorskip(name, reason=f"{name} is not installed: make test-all brings it")

    def array(self, values, dtype):
        """Numbers as an array of that type."""
        if self.xp is numpy:
            return numpy.asarray(values).astype(import_module("ml_dtypes").bfloat16 if dtype == "bfloat16" else dtype)
        if self.xp.__name__ == "torch":
            return self.xp.from_numpy(numpy.asarray(values)).to(getattr(self.xp, dtype))
        if self.xp.__name__ == "jax.numpy":  # which takes subnormal numbers for 0 where it converts
            kind = import_module("ml_dtypes").bfloat16 if dtype == "bfloat16" else dtype
            return self.xp.asarray(numpy.asarray(values).astype(kind))
        return self.xp.asarray(numpy.asarray(values).astype(dtype))

    def values(self, array):
        """The numbers of an array."""
        return numpy.asarray(array.double() if self.xp.__name__ == "torch" else array).astype("f8")


HOST = [
    pytest.param((name, dtype), marks=() if name == "numpy" else NEEDS_LIBRARY, id=f"{name}-{dtype}")
    for name in ("numpy", "torch", "jax.numpy", "array_api_strict")
    for dtype in DTYPES
    if name != "array_api_strict" or dtype in {"float32", "float64"}  # the standard has no 16-bit types
]


@pytest.fixture(params=HOST)
def library_and_type(request):
    """A library and a type; JAX with its 64-bit types."""
    name, dtype = request.param
    if name != "jax.numpy":
        yield OnTheHost(name), dtype
        return
    pytest.importorskip("jax", reason="JAX is not installed: make test-all brings it")
    with import_module("jax").enable_x64(True):
        yield OnTheHost(name), dtype


@pytest.mark.parametrize("name", PRODUCTS)
def test_on_the_host(library_and_type, name):
    """By the library's own way."""
    library, dtype = library_and_type
    check(library, name, dtype)


@pytest.mark.parametrize("name", PRODUCTS)
def test_into_an_out_of_nan(library_and_type, name):
    """What was there is overwritten, and not read; JAX's arrays are read-only."""
    library, dtype = library_and_type
    if library.xp.__name__ == "jax.numpy":
        with pytest.raises(ValueError, match="read-only"):
            check(library, name, dtype, out=True)
        return
    check(library, name, dtype, out=True)


class OnTheEmulator:
    """Arrays in the emulator's memory, as on a GPU."""

    def __init__(self, gpu):
        self.array = gpu.array

    def values(self, array):
        """The numbers of an array."""
        return array.values if isinstance(array, emulated_gpu.EmulatedArray) else array.owner.values


@pytest.fixture
def gpu(monkeypatch):
    """An empty GPU."""
    yield OnTheEmulator(emulated_gpu.install(monkeypatch))
    cuda_device.cuda_device.cache_clear()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PRODUCTS)
def test_on_a_gpu(gpu, name, dtype):
    """By the kernels' own PTX, into NaN."""
    check(gpu, name, dtype, out=True, kernel=FORCED[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.slow
def test_by_every_kernel_of_the_type(gpu, name, dtype):
    """Those that "auto" chooses from, which include tensor cores."""
    for kernel in {"float16": ("wgmma", "mma_sync"), "bfloat16": ("wgmma", "mma_sync")}.get(dtype, ("auto",)):
        check(gpu, name, dtype, kernel=kernel)
