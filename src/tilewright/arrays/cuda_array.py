"""Descriptions of arrays on a GPU, independent of their library. Importing this imports no CUDA.

A call needs an array's address, shape, strides, type and device. torch and CuPy have attributes for these; other
libraries provide them by `__cuda_array_interface__`, or by DLPack (`dlpack.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

from tilewright.kernels.operand import DTYPE_BYTES, ELEMENT_BYTES, INTEGER_BYTES, Operand

from .errors import DtypeError
from .overlap import is_nested

Shape = tuple[int, ...]

TYPE_STRINGS = {"<f2": "float16", "<f4": "float32", "<f8": "float64"} | {
    f"{'|' if nbytes == 1 else '<'}{'u' if dtype[0] == 'u' else 'i'}{nbytes}": dtype
    for dtype, nbytes in INTEGER_BYTES.items()
}
"""`__cuda_array_interface__` names types as NumPy does, which has no bfloat16."""

DLPACK_CUDA = (2, 13)
"""Device types of DLPack: memory of a GPU, and managed memory."""


@dataclass(frozen=True, slots=True)
class CudaArray:
    """An array in the memory of GPU ``device``: ``address`` is that of its first element, strides count elements.

    ``owner`` is the library's own array, which keeps the memory; ``producer_stream`` is one whose work it waits for.
    """

    address: int
    shape: Shape
    strides: Shape
    dtype: str
    device: int
    owner: Any
    writable: bool = True
    producer_stream: int | None = None

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def layout(self) -> tuple[Shape, Shape, str, int]:
        """What a plan depends on: shape, strides, type, and the address's alignment."""
        return self.shape, self.strides, self.dtype, self.address & 15

    @property
    def is_one_place_each(self) -> bool:
        """Whether each stride steps over all smaller ones, so that no two elements share memory (a sufficient test)."""
        return is_nested(self.shape, self.strides)

    @property
    def span(self) -> tuple[int, int]:
        """The number of bytes that it extends before and after its address; 0 and 0 if it is empty."""
        if 0 in self.shape:
            return 0, 0
        steps = [stride * (extent - 1) for stride, extent in zip(self.strides, self.shape, strict=True)]
        size = ELEMENT_BYTES[self.dtype]
        low, high = sum([step for step in steps if step < 0]), sum([step for step in steps if step > 0])
        return low * size, (high + 1) * size

    def overlaps(self, other: CudaArray) -> bool:
        """Whether the memory ranges of the two intersect; interleaved arrays count."""
        (low, high), (other_low, other_high) = self.span, other.span
        apart = other.address - self.address
        return low < apart + other_high and apart + other_low < high

    def lies_as(self, other: CudaArray) -> bool:
        """Whether both have the same elements at the same addresses."""
        return (self.address, *self.layout) == (other.address, *other.layout)

    def operand(self, batch: Shape, *, vector_is_column: bool = False) -> Operand:
        """The array as the operand of a product with these batch extents, to which it is broadcast with stride 0.

        A vector is a row, or a column.
        """
        shape, strides = self.shape, self.strides
        if len(shape) == 1:
            shape, strides = ((shape[0], 1), (strides[0], 0)) if vector_is_column else ((1, shape[0]), (0, strides[0]))
        rows, columns = shape[-2:]
        row_stride, column_stride = strides[-2:]
        missing = len(batch) - (len(shape) - 2)
        own = zip(shape[:-2], strides[:-2], strict=True)
        batch_strides = (0,) * missing + tuple(0 if extent == 1 else stride for extent, stride in own)
        aligned = alignment_bytes(self.address)
        return Operand(rows, columns, row_stride, column_stride, batch, batch_strides, aligned)

    def vector(self, axis: int, batch: Shape, *, is_column: bool) -> Operand:
        """The array as a batch of vectors along one axis, each a row or a column, broadcast to these batch extents."""
        others = [at for at in range(self.ndim) if at != axis]
        of_vector = [(self.shape[axis], self.strides[axis]), (1, 0)]
        extents, strides = zip(
            *((self.shape[at], self.strides[at]) for at in others),
            *(of_vector if is_column else of_vector[::-1]),
            strict=True,
        )
        return replace(self, shape=extents, strides=strides).operand(batch)

    def broadcast_to(self, shape: Shape) -> CudaArray:
        """The array broadcast to a larger shape with stride 0; nothing is copied."""
        missing = len(shape) - len(self.shape)
        own = zip(self.shape, self.strides, strict=True)
        strides = (0,) * missing + tuple(0 if extent == 1 else stride for extent, stride in own)
        return CudaArray(self.address, shape, strides, self.dtype, self.device, self.owner)


def alignment_bytes(address: int) -> int:
    """The largest power of two up to 16 that divides an address."""
    return min(address & -address, 16) if address else 16


def packed_strides(shape: Shape) -> Shape:
    """The strides of a row-major array without gaps, in elements."""
    return tuple(prod(shape[index + 1 :]) for index in range(len(shape)))


def is_on_gpu(given: object) -> bool:
    """Whether an array of any library but torch is in a GPU's memory."""
    if isinstance(given, type):  # a class, which has these for its instances
        return False
    if hasattr(given, "__cuda_array_interface__"):
        return True
    device = getattr(given, "__dlpack_device__", None)
    return callable(device) and device()[0] in DLPACK_CUDA


def from_interface(given: Any, name: str) -> CudaArray:
    """The array that `__cuda_array_interface__` (version 3) describes.

    Raises:
        DtypeError: it has a mask, a type that is not multiplied on a GPU, or strides that are not whole elements.
    """
    interface = given.__cuda_array_interface__
    shape = tuple(int(extent) for extent in interface["shape"])
    check_interface(interface, name)
    dtype = _dtype(given, interface["typestr"])
    if dtype is None:
        raise unaccepted_type(name, shape, interface["typestr"])
    size, strides = ELEMENT_BYTES[dtype], interface.get("strides")
    if strides is not None and any(stride % size for stride in strides):
        raise DtypeError(f"{name} is {shape} {dtype} with strides of {strides} bytes, which are no whole elements.")
    address, read_only = interface["data"]
    return CudaArray(
        address=int(address or 0),
        shape=shape,
        strides=packed_strides(shape) if strides is None else tuple(stride // size for stride in strides),
        dtype=dtype,
        device=_device(int(address or 0)),
        owner=given,
        writable=not read_only,
        producer_stream=interface.get("stream"),
    )


def check_interface(interface: Any, name: str) -> None:
    """Raise DtypeError for what no library reads by `__cuda_array_interface__`: a mask, or swapped bytes."""
    if interface.get("mask") is not None:
        raise DtypeError(f"{name} is a masked array, and its mask would be lost.")
    if interface["typestr"].startswith(">"):
        raise DtypeError(f"{name} is {tuple(interface['shape'])} {interface['typestr']}, whose byte order no GPU has.")


class NoKernelError(DtypeError):
    """An array on a GPU has an element type that no kernel multiplies."""


def unaccepted_type(name: str, shape: Shape, dtype: object) -> NoKernelError:
    """The error for an array on a GPU with an element type that no kernel multiplies."""
    return NoKernelError(f"{name} is {shape} {dtype}, and {', '.join(DTYPE_BYTES)} are multiplied on a GPU.")


def _dtype(given: object, type_string: str) -> str | None:
    if type_string[1:] == "V2" and str(getattr(given, "dtype", "")) == "bfloat16":
        return "bfloat16"  # ml_dtypes' bfloat16 is two bytes of a kind that the interface has no name for
    return TYPE_STRINGS.get(type_string)


def _device(address: int) -> int:
    """The GPU whose memory holds the address; the first one for an array without memory."""
    from tilewright.launch.cuda.device import device_of

    return device_of(address) if address else 0
