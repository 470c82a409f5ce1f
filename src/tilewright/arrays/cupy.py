"""CuPy's arrays: their descriptions, and memory and streams for results. CuPy is imported only for its own arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

from tilewright.kernels.operand import ELEMENT_BYTES

from .cuda_array import CudaArray, Shape, unaccepted_type
from .errors import DtypeError


def describe(array: Any, name: str) -> CudaArray:
    """Describe an array. Raises DtypeError for its type, or for strides that are not whole elements."""
    dtype, shape = str(array.dtype), tuple(array.shape)
    if dtype not in ELEMENT_BYTES:
        raise unaccepted_type(name, shape, dtype)
    size = ELEMENT_BYTES[dtype]
    if any(stride % size for stride in array.strides):
        raise DtypeError(
            f"{name} is {shape} {dtype} with strides of {array.strides} bytes, which are no whole elements."
        )
    strides = tuple(stride // size for stride in array.strides)
    return CudaArray(int(array.data.ptr), shape, strides, dtype, int(array.device.id), owner=array)


@contextmanager
def made_current(stream: Any, address: int, device: int) -> Iterator[None]:
    """A context in which the stream is CuPy's current one on a GPU, in this thread.

    Args:
        stream: the stream itself, if it is one of CuPy's.
        address: its cudaStream_t; 0 is the default stream.
        device: the GPU.
    """
    import cupy

    external = cupy.cuda.ExternalStream
    with cupy.cuda.Device(device):
        if address == 0:
            stream = cupy.cuda.Stream.null
        elif not isinstance(stream, cupy.cuda.Stream | external):
            # Its __init__ warns from CuPy 14 on; what Stream.from_external makes destroys the stream that it was lent.
            stream = external.__new__(external)
            stream.ptr, stream.device_id = address, device
        with stream:
            yield


class CupyMemory:
    """Memory of CuPy's pool, ordered by CuPy's current stream of each device."""

    def empty(self, shape: Shape, dtype: str, device: int) -> CudaArray:
        """An uninitialized array.

        Raises:
            tilewright.launch.OutOfMemoryError: the device's memory does not suffice.
        """
        import cupy

        try:
            with cupy.cuda.Device(device):
                return describe_any(cupy.empty(shape, dtype=_type(dtype)), dtype)
        except cupy.cuda.memory.OutOfMemoryError as error:
            from tilewright.launch import OutOfMemoryError

            nbytes = prod(shape) * ELEMENT_BYTES.get(dtype, 1)
            said = " ".join(str(error).split())
            raise OutOfMemoryError(f"Allocating {nbytes:,} bytes on GPU {device} failed: {said}") from error

    def stream(self, device: int) -> int:
        """The handle of the current stream."""
        import cupy

        with cupy.cuda.Device(device):
            return int(cupy.cuda.get_current_stream().ptr)

    describe = staticmethod(describe)

    def copy(self, source: CudaArray, target: CudaArray) -> None:
        """Copy all elements on the current stream."""
        import cupy

        with cupy.cuda.Device(target.device):
            cupy.asarray(target.owner)[...] = cupy.asarray(source.owner)

    def packed(self, array: CudaArray) -> CudaArray:
        """The same elements, row-major without gaps."""
        import cupy

        with cupy.cuda.Device(array.device):
            return describe(cupy.ascontiguousarray(cupy.asarray(array.owner)), "a copy")

    def result(self, target: CudaArray, inputs: tuple[CudaArray, ...]) -> Any:  # noqa: ARG002
        """The array for the caller. The pool does not reuse its memory while the stream may use it."""
        return target.owner


def describe_any(array: Any, dtype: str) -> CudaArray:
    """Describe a packed array of any type, including the bytes of a workspace."""
    shape = tuple(array.shape)
    strides = tuple(stride // array.itemsize for stride in array.strides)
    return CudaArray(int(array.data.ptr), shape, strides, dtype, int(array.device.id), owner=array)


def _type(dtype: str) -> Any:
    if dtype != "bfloat16":
        return dtype
    from ml_dtypes import bfloat16  # whose type an input must have had

    return bfloat16
