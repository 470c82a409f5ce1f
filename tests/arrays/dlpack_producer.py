"""An array in the emulator's memory that gives itself away by DLPack alone, in either form of its capsules."""

from __future__ import annotations

import ctypes
from typing import Any

from tests.arrays.emulated_gpu import EmulatedArray
from tilewright.arrays import dlpack as dlpack_capsule

KINDS = {"float16": (2, 16), "bfloat16": (4, 16), "float32": (2, 32), "float64": (2, 64), "int32": (0, 32)}


class ByDlpack:
    """What shares an array; `streams` are those that asked for it."""

    def __init__(self, array: EmulatedArray, *, device_type=2, versioned=False, read_only=False, refuses=None, lanes=1):
        self.array, self.device_type, self.versioned, self.read_only = array, device_type, versioned, read_only
        self.refuses, self.lanes = refuses, lanes
        self.streams: list[int] = []
        self.kept: list[Any] = []

    @property
    def values(self):
        """Its numbers as float64."""
        return self.array.values

    def __dlpack_device__(self):
        """Where it lies."""
        return (self.device_type, 0)

    def __dlpack__(self, *, stream=None, **asked):
        """A capsule, whose address is split into the buffer's and an offset; version 1's where that is asked for."""
        if not self.versioned and asked:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        if self.versioned and asked != {"max_version": (1, 0)}:
            raise BufferError("version 1 was not asked for")
        if self.refuses is not None:
            raise self.refuses
        self.streams.append(stream)
        array, count = self.array, len(self.array.shape)
        extents, strides = (ctypes.c_int64 * count)(*array.shape), (ctypes.c_int64 * count)(*array.strides)
        packed = array.strides == EmulatedArray(array.gpu, array.shape, array.dtype).strides
        tensor = dlpack_capsule._Tensor(
            array.address - 2,
            self.device_type,
            0,
            count,
            *KINDS[array.dtype],
            self.lanes,
            ctypes.cast(extents, ctypes.POINTER(ctypes.c_int64)),
            ctypes.POINTER(ctypes.c_int64)() if packed else ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64)),
            2,
        )
        managed = dlpack_capsule._VersionedTensor(1, 0, None, None, int(self.read_only), tensor)
        self.kept += [extents, strides, tensor, managed]
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        if self.versioned:
            return new(ctypes.addressof(managed), b"dltensor_versioned", None)
        return new(ctypes.addressof(tensor), b"dltensor", None)
