"""CuPy's and JAX's arrays on a GPU, with the emulator in the GPU's place and stand-ins for the two libraries."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy
import pytest
from cuda.bindings import driver as bindings

import tilewright
from tests.arrays import emulated_gpu, fake_cupy, fake_jax
from tests.arrays.emulated_gpu import STREAM, EmulatedArray
from tilewright.arrays.cupy import CupyMemory
from tilewright.arrays.jax import JaxMemory
from tilewright.call import cuda_product
from tilewright.launch import OutOfMemoryError
from tilewright.launch.cuda import device as cuda_device

OURS = 31
"""The stream of ours on which products of JAX's arrays run."""

READY, UNDER_WAY = bindings.CUresult.CUDA_SUCCESS, bindings.CUresult.CUDA_ERROR_NOT_READY


@pytest.fixture
def gpu(monkeypatch):
    """A GPU with the memory of each library, and a stream for JAX."""
    found: Any = emulated_gpu.install(monkeypatch)
    memories = {"cupy": CupyMemory(), "jax": JaxMemory()}
    monkeypatch.setattr(cuda_product, "memory", memories.get)
    found.cupy, found.jax = fake_cupy.install(monkeypatch, found), fake_jax.install(monkeypatch, found)
    found.jax_memory, found.state = memories["jax"], READY
    found.driver.CUstream_flags = bindings.CUstream_flags
    found.driver.cuStreamCreate = lambda _: (READY, OURS)
    found.driver.cuEventQuery = lambda _: (found.state,)
    yield found
    cuda_device.cuda_device.cache_clear()


def numbers(*shape, seed=0):
    """Small integers, so that sums are exact."""
    return numpy.random.default_rng(seed + sum(shape)).integers(-3, 4, shape)


def cupys(gpu, *shape, dtype="float32", strides=None, seed=0):
    """One of CuPy's arrays."""
    return fake_cupy.Array(EmulatedArray(gpu, shape, dtype, strides).set(numbers(*shape, seed=seed)))


def jaxs(gpu, *shape, dtype="float32", seed=0):
    """One of JAX's arrays."""
    return fake_jax.Array(EmulatedArray(gpu, shape, dtype).set(numbers(*shape, seed=seed)))


@pytest.mark.parametrize("strides", [None, (1, 5), (-7, 1)])
def test_cupy_in_cupy_out(gpu, strides):
    """Any strides, on CuPy's current stream, in CuPy's memory, without torch."""
    a, b = cupys(gpu, 5, 7, strides=strides), cupys(gpu, 7, 4)

    c = tilewright.matmul(a, b)

    assert type(c) is fake_cupy.Array
    numpy.testing.assert_array_equal(c.values, a.values @ b.values)
    assert gpu.streams == [STREAM]


def test_cupys_out(gpu):
    """Written where it lies, or beside it and copied where it is an input; a bias with gaps is packed."""
    a, b, bias = cupys(gpu, 6, 6), cupys(gpu, 6, 6, seed=1), cupys(gpu, 6, strides=(2,))
    out, expected = cupys(gpu, 6, 6), a.values @ b.values + bias.values

    assert tilewright.matmul(a, b, out, bias=bias) is out
    numpy.testing.assert_array_equal(out.values, expected)
    assert tilewright.matmul(a, b, out=a, bias=bias) is a
    numpy.testing.assert_array_equal(a.values, expected)


def test_cupys_out_takes_a_cast(gpu):
    """As NumPy's does, where no value is lost but by rounding."""
    a, out = cupys(gpu, 4, 4), cupys(gpu, 4, 4, dtype="float64")

    assert tilewright.matmul(a, a, out) is out
    numpy.testing.assert_array_equal(out.values, a.values @ a.values)
    with pytest.raises(tilewright.ShapeError, match=r"out is \(4, 4\) float64 with strides \(0, 1\)"):
        tilewright.matmul(a, a, cupys(gpu, 4, 4, dtype="float64", strides=(0, 1)))
    with pytest.raises(tilewright.DtypeError, match=r"out is \(4, 4\) int32, and float"):
        tilewright.matmul(a, a, fake_cupy.Array(EmulatedArray(gpu, (4, 4), "int32")))


def test_cupys_refusals(gpu):
    """Torn strides; another library beside; no room."""
    a = cupys(gpu, 4, 4)
    torn = cupys(gpu, 4, 4)
    torn.strides = (18, 4)
    with pytest.raises(tilewright.DtypeError, match=r"B is \(4, 4\) float32 with strides of \(18, 4\) bytes, which"):
        tilewright.matmul(a, torn)
    with pytest.raises(tilewright.DtypeError, match=r"A is a tests Array and B is a jax Array on"):
        tilewright.matmul(a, jaxs(gpu, 4, 4))
    gpu.cupy.full = True
    with pytest.raises(OutOfMemoryError, match="Allocating 64 bytes on GPU 0 failed: Out of memory allocating 1,024"):
        tilewright.matmul(a, a)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_jax_in_jax_out(gpu, dtype):
    """On a stream of ours: the inputs' producers are told of it, and JAX's stream waits for it."""
    a, b = jaxs(gpu, 5, 7, dtype=dtype), jaxs(gpu, 7, 4, dtype=dtype)

    c = tilewright.matmul(a, b)

    assert type(c) is fake_jax.Array
    assert c.dtype == dtype
    numpy.testing.assert_array_equal(c.values, a.values @ b.values)
    assert gpu.streams == [OURS]
    assert a.streams == b.streams == [OURS]
    assert gpu.driver.waits == [(fake_jax.STREAM, OURS)]


def test_jaxs_inputs_live_until_the_product_is_done(gpu):
    """JAX would use their memory anew: it knows nothing of our stream."""
    a = jaxs(gpu, 4, 4)
    gpu.state = UNDER_WAY
    tilewright.matmul(a, a)
    kept = weakref.ref(a)
    del a
    gc.collect()
    assert kept() is not None

    gpu.state = READY
    b = jaxs(gpu, 4, 4)
    tilewright.matmul(b, b)
    gc.collect()
    assert kept() is None
    assert not gpu.jax_memory._under_way


def test_jaxs_empty_arrays_bias_and_refusals(gpu):
    """Nothing runs for an empty result; out cannot be written; no room."""
    a = jaxs(gpu, 4, 4)
    assert tilewright.matmul(jaxs(gpu, 0, 4), a).shape == (0, 4)
    assert gpu.runs == []
    with pytest.raises(ValueError, match=r"out is \(4, 4\) float32 and read-only"):
        tilewright.matmul(a, a, out=a)
    biased = tilewright.matmul(a, a, bias=jaxs(gpu, 4))
    numpy.testing.assert_array_equal(biased.values, a.values @ a.values + numbers(4))
    gpu.jax.full = True
    with pytest.raises(OutOfMemoryError, match=r"Allocating \(4, 4\) float32 on GPU 0 failed: RESOURCE_EXHAUSTED"):
        tilewright.matmul(a, a)


def test_a_packed_copy_of_jaxs_lies_elsewhere(gpu):
    """The same numbers, in memory that nobody else has."""
    a = jaxs(gpu, 4, 3)
    given = gpu.jax_memory.describe(a, "A")
    copied = gpu.jax_memory.packed(given)

    assert (copied.shape, copied.strides, copied.dtype) == ((4, 3), (3, 1), "float32")
    assert copied.address != given.address
    numpy.testing.assert_array_equal(copied.owner[0].values, a.values)
