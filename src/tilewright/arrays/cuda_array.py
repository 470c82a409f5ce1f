"""Arrays that are on a GPU, as they lie there, whichever library they belong to. Importing this imports no CUDA.

What a call needs of such an array is an address, a shape, strides, a type and a device. torch and CuPy say these
themselves; everything else says them by `__cuda_array_interface__`, or by DLPack (`dlpack.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from tilewright.kernels.operand import DTYPE_BYTES, Operand

from .errors import DtypeError
from .overlap import is_nested

Shape = tuple[int, ...]

TYPE_STRINGS = {"<f2": "float16", "<f4": "float32", "<f8": "float64"}
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
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return prod(self.shape)

    @property
    def layout(self) -> tuple[Shape, Shape, str, int]:
        """All that a plan depends on: shape, strides, type, and how the address is aligned."""
        return self.shape, self.strides, self.dtype, self.address & 15

    @property
    def is_one_place_each(self) -> bool:
        """Whether no two elements share a place, as far as that is easily seen: each stride steps over all below it."""
        return is_nested(self.shape, self.strides)

    @property
    def span(self) -> tuple[int, int]:
        """The bytes that it reaches before and behind its address; 0 and 0 where it is empty."""
        if 0 in self.shape:
            return 0, 0
        steps = [stride * (extent - 1) for stride, extent in zip(self.strides, self.shape, strict=True)]
        size = DTYPE_BYTES[self.dtype]
        low, high = sum([step for step in steps if step < 0]), sum([step for step in steps if step > 0])
        return low * size, (high + 1) * size

    def overlaps(self, other: CudaArray) -> bool:
        """Whether the two touch a common range of memory; being interleaved counts."""
        (low, high), (other_low, other_high) = self.span, other.span
        apart = other.address - self.address
        return low < apart + other_high and apart + other_low < high

    def lies_as(self, other: CudaArray) -> bool:
        """Whether both are the same elements at the same places."""
        return (self.address, *self.layout) == (other.address, *other.layout)

    def operand(self, batch: Shape, *, vector_is_column: bool = False) -> Operand:
        """It as the operand of a product with these batch extents, along which it is broadcast with stride 0.

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

    def broadcast_to(self, shape: Shape) -> CudaArray:
        """It as an array of a larger shape, with stride 0 where it repeats; nothing is copied."""
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
    """Whether an array of any library but torch says that it lies in a GPU's memory."""
    if isinstance(given, type):  # a class, which has these for its instances
        return False
    if hasattr(given, "__cuda_array_interface__"):
        return True
    device = getattr(given, "__dlpack_device__", None)
    return callable(device) and device()[0] in DLPACK_CUDA


def from_interface(given: Any, name: str) -> CudaArray:
    """The array that `__cuda_array_interface__` (version 3) describes.

    Raises:
        DtypeError: it has a mask, a type that is not multiplied on a GPU, or strides that are no whole elements.
    """
    interface = given.__cuda_array_interface__
    shape = tuple(int(extent) for extent in interface["shape"])
    check_interface(interface, name)
    dtype = _dtype(given, interface["typestr"])
    if dtype is None:
        raise unaccepted_type(name, shape, interface["typestr"])
    size, strides = DTYPE_BYTES[dtype], interface.get("strides")
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
    """Raise DtypeError for what no library reads by `__cuda_array_interface__`: a mask, another byte order."""
    if interface.get("mask") is not None:
        raise DtypeError(f"{name} is a masked array, and its mask would be lost.")
    if interface["typestr"].startswith(">"):
        raise DtypeError(f"{name} is {tuple(interface['shape'])} {interface['typestr']}, whose byte order no GPU has.")


class NoKernelError(DtypeError):
    """An array on a GPU has elements that no kernel multiplies."""


def unaccepted_type(name: str, shape: Shape, dtype: object) -> NoKernelError:
    """What is said of an array on a GPU whose elements no kernel multiplies."""
    return NoKernelError(f"{name} is {shape} {dtype}, and {', '.join(DTYPE_BYTES)} are multiplied on a GPU.")


def _dtype(given: Any, type_string: str) -> str | None:
    if type_string[1:] == "V2" and str(getattr(given, "dtype", "")) == "bfloat16":
        return "bfloat16"  # ml_dtypes' bfloat16 is two bytes of a kind that the interface has no name for
    return TYPE_STRINGS.get(type_string)


def _device(address: int) -> int:
    """The GPU that has the address; the first one for an array without memory."""
    from tilewright.launch.cuda_device import device_of

    return device_of(address) if address else 0
