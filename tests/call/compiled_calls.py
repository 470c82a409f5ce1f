"""What the compiled extra calls, without torch or a driver: DLPack's C exchange API of the fake torch, and a launch.

Plans of the emulated GPU are one launch here, whose arguments are the addresses of the buffers; launching it runs them.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from tests.launch.fake_driver import PRIMARY
from tilewright.kernels.launch import BUFFERS
from tilewright.launch.cuda import native

CODES = {
    "float16": (2, 16),
    "bfloat16": (4, 16),
    "float32": (2, 32),
    "float64": (2, 64),
    "uint8": (1, 8),
    "int32": (0, 32),
}
CUDA = 2


class DLTensor(ctypes.Structure):
    """As dlpack.h has it."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_kind", ctypes.c_int32),
        ("device_index", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Configuration(ctypes.Structure):
    """CUlaunchConfig of cuda.h."""

    _fields_ = (
        ("extents", ctypes.c_uint32 * 6),
        ("shared_bytes", ctypes.c_uint32),
        ("stream", ctypes.c_uint64),
        ("attributes", ctypes.c_void_p),
        ("attribute_count", ctypes.c_uint32),
    )


TensorOf = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
StreamOf = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
LaunchKernel = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(Configuration), ctypes.c_uint64, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p
)
OneAddress = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_uint64))
OneHandle = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64)


class Exchange(ctypes.Structure):
    """DLPackExchangeAPI."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("unused", ctypes.c_void_p * 4),
        ("tensor_of", TensorOf),
        ("stream_of", StreamOf),
    )


_kept: dict[str, Any] = {"tensors": {}, "runs": {}, "configuration": Configuration()}


def exchange_of(stream: int) -> Any:
    """The capsule that a tensor's type has; tensors are those of tests.call.fake_torch."""

    @TensorOf
    def tensor_of(tensor, found):
        at = found.contents
        extents = (ctypes.c_int64 * max(len(tensor.shape), 1))(*tensor.shape)
        strides = (ctypes.c_int64 * max(len(tensor.shape), 1))(*tensor.stride())
        _kept["tensors"][id(tensor)] = extents, strides  # the producer owns them, as torch does
        at.data, at.byte_offset, at.ndim = tensor.data_ptr() - 4, 4, len(tensor.shape)
        at.device_kind, at.device_index = CUDA if tensor.get_device() >= 0 else 1, max(tensor.get_device(), 0)
        at.code, at.bits = CODES[str(tensor.dtype).removeprefix("torch.")]
        at.lanes, at.shape, at.strides = 1, extents, strides
        return 0

    @StreamOf
    def stream_of(_kind, _index, found):
        found[0] = stream
        return 0

    table = Exchange(1, 0, (ctypes.c_void_p * 4)(), tensor_of, stream_of)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    _kept["exchange"] = table, tensor_of, stream_of
    return new(ctypes.addressof(table), b"dlpack_exchange_api", None)


def install_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions in the place of the driver's; the right context is current."""

    @LaunchKernel
    def launch(configuration, function, parameters, _extra):
        addresses = [ctypes.c_uint64.from_address(parameters[index] or 0).value for index in range(len(BUFFERS))]
        _kept["runs"][function].run(addresses, configuration.contents.stream)
        return 0

    @OneAddress
    def current(found):
        found[0] = PRIMARY
        return 0

    @OneHandle
    def never(_context):
        return 999

    functions = launch, never, current, never, never
    _kept["driver"] = functions
    addresses = tuple(ctypes.cast(function, ctypes.c_void_p).value for function in functions)
    monkeypatch.setattr(native, "driver_addresses", lambda: addresses)


def numbers_of(run: Any) -> Any:
    """A plan of the emulated GPU as numbers."""
    number = len(_kept["runs"]) + 1
    _kept["runs"][number] = run
    offsets = [8 * index for index in range(len(BUFFERS))]
    launches = [(ctypes.addressof(_kept["configuration"]), number, offsets)] if run.plan.launches else []
    pointers = [(index, 0) for index in range(len(BUFFERS))]
    return PRIMARY, bytes(8 * len(BUFFERS)), pointers, [], launches
