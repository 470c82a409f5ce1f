"""An array of any library by what all of them say: its shape, its type's name, to what types promote, and `out`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tilewright.kernels.operand import DTYPE_BYTES

from .cuda_array import Shape
from .errors import DtypeError, ShapeError, unmultipliable
from .overlap import check_places
from .places import CUDA, CUPY, JAX, TORCH
from .torch import namespace_of


@dataclass(frozen=True)
class Described:
    """The shape and the type's name of any array."""

    shape: Shape
    dtype: str

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)


def described(array: Any) -> Described:
    """An array of any library as errors name it."""
    return Described(tuple(array.shape), last_name(array.dtype))


def in_one_type(a: Any, b: Any, library: str) -> tuple[Any, Any]:
    """A and B in the type to which their library promotes both; as they are where that is one type already.

    Raises:
        DtypeError: the library promotes no such types.
    """
    if library == CUDA or a.dtype == b.dtype:
        return a, b
    dtype = promoted(a, b)
    left, right = (array if array.dtype == dtype else namespace_of(a).astype(array, dtype) for array in (a, b))
    return left, right


def promoted(a: Any, b: Any) -> Any:
    """The type to which the library of A and B promotes both. Raises DtypeError where it promotes no such types."""
    if a.dtype == b.dtype:
        return a.dtype
    try:
        return namespace_of(a).result_type(a.dtype, b.dtype)
    except TypeError as error:
        raise unmultipliable("matmul", described(a), described(b)) from error


def has_kernel(array: Any, library: str) -> bool:
    """Whether a kernel multiplies the array's type, or the array itself will have to say so."""
    return library == CUDA or last_name(array.dtype) in DTYPE_BYTES


def is_read_as_it_lies(a: Any, b: Any, library: str) -> bool:
    """Whether a kernel reads A and B where they lie, without a change of type before."""
    return library == CUDA or (a.dtype == b.dtype and has_kernel(a, library))


def check_out(out: Any, library: str, shape: Shape, dtype: str) -> None:
    """Refuse an `out` that cannot take a result of that shape and type.

    Raises:
        ShapeError: its shape is another, or some of its elements share a place.
        DtypeError: its type is another.
        ValueError: it is one of JAX's, which nothing can write.
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


def deliver(result: Any, out: Any) -> Any:
    """The result, or `out` with it."""
    if out is None:
        return result
    out[...] = result
    return out


def strides_of(array: Any, library: str) -> Shape | None:
    """The strides of a tensor or of one of CuPy's arrays, in elements; None for others, which do not say."""
    if library == TORCH:
        return tuple(array.stride())
    return tuple(stride // array.itemsize for stride in array.strides) if library == CUPY else None


def last_name(dtype: object) -> str:
    """A type's own name: "float32" for torch.float32."""
    return str(dtype).rpartition(".")[2]
