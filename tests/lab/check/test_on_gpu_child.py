"""The guard bands around arrays on a GPU, in memory of this process."""

import ctypes
from typing import Any

import numpy
import pytest

from tilewright.lab.check.gpu.child import GUARD_BYTES, GuardedArray, _bits


class HostMemory:
    """Device memory that is the host's."""

    def __init__(self, nbytes, stream):
        self.array = numpy.zeros(nbytes, numpy.uint8)
        self.handle = self.array.ctypes.data
        self.stream = stream

    def close(self, stream):
        """Given back on the stream that it came from."""
        assert stream is self.stream


class HostGpu:
    """What a guarded array asks of a GPU."""

    stream = object()

    def __init__(self):
        self.device = self

    def allocate(self, nbytes, stream):
        """Allocate here."""
        return HostMemory(nbytes, stream)

    def copy_in(self, address, array):
        """Copy in."""
        ctypes.memmove(address, array.ctypes.data, array.nbytes)

    def copy_out(self, array, address):
        """Copy out."""
        ctypes.memmove(array.ctypes.data, address, array.nbytes)


@pytest.fixture
def guarded():
    """Make 3 x 4 floats, filled, and a function that stores a float behind their address."""
    gpu: Any = HostGpu()
    array = GuardedArray(gpu, "C", numpy.arange(12, dtype="float32").reshape(3, 4))
    array.fill()

    def store(offset_bytes, value=1.0):
        ctypes.c_float.from_address(array.address + offset_bytes).value = value

    yield array, store
    array.close()


def test_stores_inside(guarded):
    """They are what is read, and no stray; `fill` undoes them."""
    array, store = guarded
    store(4 * 5, 7.0)
    values, stray = array.read()

    assert (values[1, 1], values.shape, stray) == (7, (3, 4), "")
    array.fill()
    assert array.read()[0].ravel().tolist() == list(range(12))


@pytest.mark.parametrize(
    ("offset", "sentence"),
    [
        (48, "A store lies 0 bytes past the end of C (48 bytes)."),
        (48 + 400, "A store lies 400 bytes past the end of C (48 bytes)."),
        (-4, "A store lies 4 bytes in front of C (48 bytes)."),
        (-GUARD_BYTES, "A store lies 65536 bytes in front of C (48 bytes)."),
    ],
)
def test_stores_outside(guarded, offset, sentence):
    """How far from which end, in bytes of the nearest one."""
    array, store = guarded
    store(offset)
    values, stray = array.read()

    assert stray == sentence
    assert values.ravel().tolist() == list(range(12))
    array.fill()
    assert array.read()[1] == ""


def test_who_reads_beside_reads_nan(guarded):
    """The bands, as numbers."""
    array, _ = guarded

    assert all(
        numpy.isnan(ctypes.c_float.from_address(array.address + offset).value) for offset in (-4, 48, GUARD_BYTES)
    )


@pytest.mark.parametrize("number", [numpy.int32(-5), numpy.float16(0.5), numpy.float64(2.5), numpy.int64(-1)])
def test_numbers_are_passed_bit_by_bit(number):
    """As unsigned numbers of the same size."""
    passed = _bits(number)

    assert (passed.dtype.kind, passed.tobytes()) == ("u", number.tobytes())
