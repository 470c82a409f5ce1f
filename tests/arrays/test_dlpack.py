"""Arrays on a GPU that have DLPack and nothing else."""

from __future__ import annotations

import numpy
import pytest

import tilewright
from tests.arrays import emulated_gpu
from tests.arrays.dlpack_producer import ByDlpack
from tests.arrays.emulated_gpu import STREAM, EmulatedArray
from tilewright.arrays.dlpack import DTYPES
from tilewright.launch.cuda import device as cuda_device


@pytest.fixture
def gpu(monkeypatch):
    """An empty GPU."""
    yield emulated_gpu.install(monkeypatch)
    cuda_device.cuda_device.cache_clear()


def numbers(*shape):
    """Small integers, whose sums are exact."""
    return numpy.random.default_rng(sum(shape)).integers(-3, 4, shape)


@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize("strides", [None, (1, 5), (-7, 1)], ids=["packed", "columns", "backwards"])
def test_they_are_read_where_they_lie(gpu, versioned, strides):
    """Either form of the capsule, offsets and strides; the producer is told the stream that reads."""
    a = ByDlpack(EmulatedArray(gpu, (5, 7), "float32", strides).set(numbers(5, 7)), versioned=versioned)
    b = ByDlpack(gpu.array(numbers(7, 4), "float32"), versioned=not versioned)

    c = tilewright.matmul(a, b)

    numpy.testing.assert_array_equal(c.values, a.values @ b.values)
    assert (a.streams, gpu.copies) == ([STREAM], 0)


def test_out_is_written_unless_it_is_read_only(gpu):
    """A version-1 capsule can say that."""
    a, out = gpu.array(numbers(4, 4), "float32"), EmulatedArray(gpu, (4, 4), "float32")
    shared = ByDlpack(out)

    assert tilewright.matmul(ByDlpack(a), ByDlpack(a), out=shared) is shared
    numpy.testing.assert_array_equal(out.values, a.values @ a.values)
    with pytest.raises(ValueError, match=r"out is \(4, 4\) float32 and read-only"):
        tilewright.matmul(ByDlpack(a), ByDlpack(a), out=ByDlpack(out, versioned=True, read_only=True))


@pytest.mark.parametrize(
    ("dtype", "options", "sentence"),
    [
        ("float32", {"refuses": BufferError("it is in use")}, "B is a ByDlpack that cannot be shared: it is in use"),
        ("float32", {"lanes": 4}, r"B is \(4, 4\) with 4 numbers in each element"),
        ("float32", {"device_type": 10}, "A is a tests ByDlpack on a GPU and B is a tests ByDlpack;"),
    ],
)
def test_what_cannot_be_shared(gpu, dtype, options, sentence):
    """In a sentence, before anything runs."""
    a = EmulatedArray(gpu, (4, 4), "float32")

    with pytest.raises(tilewright.DtypeError, match=sentence):
        tilewright.matmul(ByDlpack(a), ByDlpack(EmulatedArray(gpu, (4, 4), dtype), **options))
    assert gpu.runs == []


def test_codes_of_types():
    """Those of DLPack's header: kDLInt 0, kDLUInt 1, kDLFloat 2 and kDLBfloat 4, with the bits."""
    bits = (8, 16, 32, 64)
    expected = {(code, size): f"{name}{size}" for code, name in ((0, "int"), (1, "uint")) for size in bits}
    expected |= {(2, size): f"float{size}" for size in (16, 32, 64)} | {(4, 16): "bfloat16"}
    assert expected == DTYPES
