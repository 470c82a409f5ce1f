"""Arrays of any library by their common properties: shape, the type's name, type promotion, and checks of `out`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tilewright.kernels.operand import DTYPE_BYTES

from .cuda_array import Shape
from .errors import DtypeError, ShapeError, unmultipliable
from .overlap import check_places
from .places import CUDA, CUPY, JAX, TORCH
from .torch import is_tensor, namespace_of
from .torch_modes import untraced_shape


@dataclass(frozen=True)
class Described:
    """The shape and the type's name of any array."""

    shape: Shape
    dtype: str

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)


def described(array: Any) -> Described:
    """The shape and type of an array of any library, for error messages."""
    shape = tuple(array.shape)
    if shape and is_tensor(shape[0]):  # torch.jit.trace records extents, and warns when one is compared
        shape = untraced_shape(array)
    return Described(shape, last_name(array.dtype))


def in_one_type(a: Any, b: Any, library: str) -> tuple[Any, Any]:
    """A and B in the type to which their library promotes both; unchanged if they have the same type.

    Raises:
        DtypeError: the library promotes no such types.
    """
    if library == CUDA or a.dtype == b.dtype:
        return a, b
    dtype = promoted(a, b)
    left, right = (array if array.dtype == dtype else namespace_of(a).astype(array, dtype) for array in (a, b))
    return left, right


def promoted(a: Any, b: Any) -> Any:
    """The type to which the library of A and B promotes both. Raises DtypeError if it cannot."""
    if a.dtype == b.dtype:
        return a.dtype
    try:
        weak = getattr(a, "weak_type", False) or getattr(b, "weak_type", False)  # JAX's, which yield to others
        return namespace_of(a).result_type(*((a, b) if weak else (a.dtype, b.dtype)))
    except TypeError as error:
        raise unmultipliable("matmul", described(a), described(b)) from error


def has_kernel(array: Any, library: str) -> bool:
    """Whether a kernel multiplies the array's type; True if that is known only later, from its interface."""
    return library == CUDA or last_name(array.dtype) in DTYPE_BYTES


def is_read_as_it_lies(a: Any, b: Any, library: str) -> bool:
    """Whether a kernel reads A and B in place, without a conversion of types."""
    return library == CUDA or (a.dtype == b.dtype and has_kernel(a, library))


def check_out(out: object, library: str, shape: Shape, dtype: str) -> None:
    """Refuse an `out` that cannot take a result of that shape and type.

    Raises:
        ShapeError: its shape differs, or some of its elements share memory.
        DtypeError: its type differs.
        ValueError: it is one of JAX's arrays, which are read-only.
    """
    if out is None:
        return
    if library == JAX:
        raise ValueError("out is a jax Array, and these are read-only; leave out away and take the result.")
    into = described(out)
    if into.shape != shape:
        raise ShapeError(
            f"out is {into.shape} {into.dtype}, but the result is {shape} {dtype}; the shapes must be equal."
        )
    if into.dtype != dtype:
        raise DtypeError(f"out is {into.shape} {into.dtype}, and {dtype}, the result's type, is accepted.")
    strides = strides_of(out, library)
    if strides is not None:
        check_places(into.shape, strides, into.dtype)


def deliver(result: object, out: Any) -> Any:
    """The result, or `out` holding it."""
    if out is None:
        return result
    out[...] = result
    return out


def strides_of(array: Any, library: str) -> Shape | None:
    """The strides of a torch tensor or a CuPy array, in elements; None for other libraries."""
    if library == TORCH:
        return tuple(array.stride())
    return tuple(stride // array.itemsize for stride in array.strides) if library == CUPY else None


def last_name(dtype: object) -> str:
    """A type's name without its module: "float32" for torch.float32."""
    return str(dtype).rpartition(".")[2]
