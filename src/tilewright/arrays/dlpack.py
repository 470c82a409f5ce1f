"""Reads an array on a GPU from a DLPack capsule: address, shape, strides and type.

The structures are DLPack's `DLManagedTensor` and, from its version 1 on, `DLManagedTensorVersioned`
(dmlc.github.io/dlpack/latest/c_api.html).
"""

from __future__ import annotations

import ctypes
from typing import Any

from tilewright.kernels.operand import ELEMENT_BYTES, INTEGER_BYTES

from .cuda_array import DLPACK_CUDA, CudaArray, packed_strides, unaccepted_type
from .errors import DtypeError

SIGNED, UNSIGNED, FLOAT, BFLOAT = 0, 1, 2, 4
"""DLPack's codes of kinds of numbers."""

DTYPES = {
    (FLOAT, 16): "float16",
    (BFLOAT, 16): "bfloat16",
    (FLOAT, 32): "float32",
    (FLOAT, 64): "float64",
    **{(UNSIGNED if dtype[0] == "u" else SIGNED, 8 * nbytes): dtype for dtype, nbytes in INTEGER_BYTES.items()},
}
VERSION = (1, 0)
READ_ONLY = 1


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("kind", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _VersionedTensor(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


def from_dlpack(given: object, name: str, stream: int) -> CudaArray:
    """The array on a GPU that `given` exports. The producer makes the stream wait until the array is written.

    Raises:
        DtypeError: it exports nothing, or not a plain array in a GPU's memory of a type that is multiplied.
    """
    try:
        capsule = _capsule(given, stream or 1)  # DLPack's name of the default stream is 1
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise DtypeError(f"{name} is a {type(given).__qualname__} that cannot be shared: {error}") from error
    array = describe(capsule, name, owner=(given, capsule))
    if array.dtype not in ELEMENT_BYTES:
        raise unaccepted_type(name, array.shape, array.dtype)
    return array


def is_read_only(given: object, stream: int) -> bool:
    """Whether the array that `given` exports is read-only. Errors of the export are raised unchanged."""
    return _tensor(_capsule(given, stream or 1))[1]


def describe(capsule: object, name: str, owner: object) -> CudaArray:
    """The array that a capsule describes. The capsule is not consumed, and must stay alive while the array is used."""
    tensor, read_only = _tensor(capsule)
    shape = tuple(tensor.shape[: tensor.ndim])
    if tensor.lanes != 1:
        raise DtypeError(f"{name} is {shape} with {tensor.lanes} numbers in each element, and 1 is accepted.")
    dtype = DTYPES.get((tensor.kind, tensor.bits))
    if dtype is None:
        raise unaccepted_type(name, shape, f"(kind {tensor.kind}, {tensor.bits} bits)")
    if tensor.device_type not in DLPACK_CUDA:
        raise DtypeError(f"{name} is on a device of DLPack's type {tensor.device_type}, and a GPU's is accepted.")
    return CudaArray(
        address=(tensor.data or 0) + tensor.byte_offset,
        shape=shape,
        strides=tuple(tensor.strides[: tensor.ndim]) if tensor.strides else packed_strides(shape),
        dtype=dtype,
        device=tensor.device_id,
        owner=owner,
        writable=not read_only,
    )


def _capsule(given: Any, stream: int) -> Any:
    """The capsule of `given`, of version 1 if supported, as only that can export read-only arrays."""
    try:
        return given.__dlpack__(stream=stream, max_version=VERSION)
    except TypeError:  # a producer from before there were versions
        return given.__dlpack__(stream=stream)


def _tensor(capsule: object) -> tuple[_Tensor, bool]:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    named = ctypes.pythonapi.PyCapsule_IsValid
    named.restype, named.argtypes = ctypes.c_int, (ctypes.py_object, ctypes.c_char_p)
    if named(capsule, b"dltensor_versioned"):
        versioned = _VersionedTensor.from_address(pointer(capsule, b"dltensor_versioned"))
        return versioned.tensor, bool(versioned.flags & READ_ONLY)
    return _Tensor.from_address(pointer(capsule, b"dltensor")), False
