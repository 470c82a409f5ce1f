"""A stand-in for CuPy whose arrays are in the emulator's memory: what the calls use of it, and no more."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy
import pytest

from tests.arrays.emulated_gpu import KINDS, STREAM, EmulatedArray, EmulatedGpu


class Array:
    """An array on the emulated GPU."""

    def __init__(self, array: EmulatedArray) -> None:
        self.array, self.shape = array, array.shape
        self.dtype = array.dtype if array.dtype == "bfloat16" else numpy.dtype(KINDS[array.dtype])
        self.itemsize = array.bits.itemsize
        self.strides = tuple(stride * self.itemsize for stride in array.strides)
        self.data, self.device = SimpleNamespace(ptr=array.address), SimpleNamespace(id=0)

    @property
    def values(self):
        """Its numbers as float64."""
        return self.array.values

    def __setitem__(self, index, source):
        assert index is Ellipsis
        self.array.bits[...] = source.array.bits


class Stream:
    """One of CuPy's own streams; while it is entered, it is the current one."""

    entered: ClassVar[list[Any]] = []

    def __init__(self, ptr, device_id=-1):
        self.ptr, self.device_id = ptr, device_id

    def __enter__(self):
        self.entered.append(self)

    def __exit__(self, *raised):
        self.entered.pop()


class ExternalStream(Stream):
    """Another's stream."""

    def __init__(self, ptr, device_id=-1):
        del ptr, device_id
        raise DeprecationWarning("ExternalStream is deprecated.")


Stream.null = Stream(0)  # type: ignore[attr-defined]


class OutOfMemoryError(RuntimeError):
    """What CuPy raises."""


def install(monkeypatch: pytest.MonkeyPatch, gpu: EmulatedGpu) -> Any:
    """Let `import cupy` find the stand-in, whose memory is this GPU's."""
    cupy = SimpleNamespace(ndarray=Array, full=False)

    def empty(shape, dtype):
        if cupy.full:
            raise OutOfMemoryError("Out of memory allocating 1,024 bytes.\nIt is full")
        return Array(EmulatedArray(gpu, shape, dtype))

    cupy.empty = empty
    cupy.asarray = lambda array: array
    cupy.ascontiguousarray = lambda array: Array(gpu.array(array.values, array.array.dtype))
    cupy.cuda = SimpleNamespace(
        Device=lambda _: nullcontext(),
        Stream=Stream,
        ExternalStream=ExternalStream,
        get_current_stream=lambda: Stream.entered[-1] if Stream.entered else SimpleNamespace(ptr=STREAM),
        memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
    )
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    return cupy
