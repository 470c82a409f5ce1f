"""Tensor maps for the copy engine (TMA), encoded by the driver.

The driver is called through ctypes here, because it wants the 128 bytes at an address that is a multiple of 64, and a
map of `cuda.bindings` lies wherever Python put it.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from tilewright.kernels.launch import TensorMap
from tilewright.launch.machine import MachineError

from .gpu import said_by_cuda

if TYPE_CHECKING:
    from .device import CudaDevice

MAP_BYTES, MAP_ALIGNMENT_BYTES = 128, 64

DATA_TYPES = {"uint8": 0, "uint16": 1, "float16": 6, "float32": 7, "float64": 8, "bfloat16": 9, "tfloat32": 11}
SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
NO_INTERLEAVE = 0
PROMOTE_TO_128_BYTES = 2
ZERO_OUTSIDE = 0
"""Values of CUtensorMapDataType, -Swizzle, -Interleave, -L2promotion and -FloatOOBfill in cuda.h.

Boxes are 128 bytes wide. With 256 bytes brought from DRAM for each, products that memory bounds took up to 7 %
longer on an H200 (64 x 4,096 x 14,336: 33.1 us, and 30.9 with 128), and none took less.
"""

INVALID_CONTEXT = 201
"""Of CUresult."""


class TensorMapEncoder:
    """One tensor map of a plan, whose buffer may lie anywhere: all but the address is fixed."""

    def __init__(self, planned: TensorMap, device: CudaDevice) -> None:
        rank, self._device = len(planned.sizes), device
        self._what = f"describing {planned.buffer} {planned.sizes} {planned.dtype} to the copy engine"
        self._offset_bytes = planned.offset_bytes
        self._first = (DATA_TYPES[planned.dtype], rank)
        self._rest = (
            (ctypes.c_uint64 * rank)(*planned.sizes),
            (ctypes.c_uint64 * max(rank - 1, 1))(*planned.strides_bytes),
            (ctypes.c_uint32 * rank)(*planned.box),
            (ctypes.c_uint32 * rank)(*[1] * rank),
            NO_INTERLEAVE,
            SWIZZLES[planned.swizzle_bytes],
            PROMOTE_TO_128_BYTES,
            ZERO_OUTSIDE,
        )

    def encode(self, target: int, address: int) -> None:
        """Write the 128 bytes to `target`, a multiple of 64, for a buffer at `address`.

        In a thread that has used no GPU yet, as torch's for gradients, the driver asks for a context for some types.

        Raises:
            MachineError: the driver refuses the map.
        """
        arguments = target, *self._first, address + self._offset_bytes, *self._rest
        status = _driver_call()(*arguments)
        if status == INVALID_CONTEXT:
            with self._device.entered():
                status = _driver_call()(*arguments)
        if status:
            with said_by_cuda(self._what):
                raise MachineError(f"CUDA error {status} for address {address + self._offset_bytes:#x}")

    def as_numbers(self) -> tuple[int, ...]:
        """What `encode` gives the driver besides address and target: bytes to add, type, rank, addresses, numbers."""
        extents = (ctypes.addressof(extent) for extent in self._rest[:4])
        return (self._offset_bytes, *self._first, *extents, *self._rest[4:])


@cache
def _driver_call() -> Any:
    call = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1").cuTensorMapEncodeTiled
    pointer = ctypes.c_void_p
    number = ctypes.c_uint
    call.argtypes = [pointer, number, number, pointer, *[pointer] * 4, *[number] * 4]
    call.restype = ctypes.c_int
    return call
