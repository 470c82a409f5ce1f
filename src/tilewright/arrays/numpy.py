"""Inputs and results of NumPy: arrays, nested lists, and whatever NumPy reads.

`host_array.py` converts other libraries' host arrays, and `cuda_array.py` describes arrays on a GPU.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy
from numpy.typing import NDArray

from .errors import DtypeError, Shaped, ShapeError, describe, described, unmultipliable

Array = NDArray[Any]
Shape = tuple[int, ...]


def as_operand(given: object, name: str) -> Array:
    """`given` as a NumPy array.

    It is an array, a number, nested lists, a range, or has `__array__` (pandas), `__array_interface__` or a buffer
    (memoryview, array.array).

    Raises:
        DtypeError: it is something else.
        ShapeError: the lists are ragged.
    """
    if isinstance(given, numpy.ma.MaskedArray):
        raise DtypeError(f"{name} is a masked array, and its mask would be lost; pass {name}.filled(value).")
    if isinstance(given, numpy.ndarray):
        return given.view(numpy.ndarray)
    if not _is_read_by_numpy(given):
        kind = f"{type(given).__module__}.{type(given).__qualname__}"
        raise DtypeError(
            f"{name} is a {kind}, and NumPy arrays, nested lists and what has __array__ or a buffer are accepted."
        )
    try:
        return numpy.asarray(given)
    except ValueError as error:
        if not isinstance(given, list | tuple):
            raise _unreadable(name, given, error) from error
        raise ShapeError(f"{name} is a nested list whose rows differ in length or depth.") from error
    except (BufferError, RuntimeError, TypeError) as error:  # tensors of a GPU in a list
        raise _unreadable(name, given, error) from error


def _unreadable(name: str, given: object, error: Exception) -> DtypeError:
    said = " ".join(str(error).split())
    return DtypeError(f"{name} is a {type(given).__qualname__} that NumPy cannot read: {said}")


def _is_read_by_numpy(given: object) -> bool:
    """Whether NumPy reads it as an array of numbers, not as a single object or as characters."""
    if isinstance(given, list | tuple | int | float | complex | numpy.generic | range | memoryview):
        return True
    if isinstance(given, str | bytes | bytearray | type):
        return False
    if hasattr(given, "__array__") or hasattr(given, "__array_interface__"):
        return True
    try:
        memoryview(given)  # type: ignore[arg-type]
    except (BufferError, TypeError):
        return False
    return True


@lru_cache(maxsize=256)
def name_of(dtype: numpy.dtype[Any]) -> str:
    """NumPy's name of a type, cached since NumPy takes microseconds."""
    return dtype.name


def type_name(given: object) -> str:
    """NumPy's name of a type, which is given as a name, NumPy's type or torch's type.

    Raises:
        DtypeError: it is not a type.
    """
    name = str(given).removeprefix("torch.") if type(given).__module__ == "torch" else given
    if isinstance(name, str) and name == "bfloat16":  # which NumPy itself does not know
        return name
    try:
        return numpy.dtype(name).name  # type: ignore[call-overload, no-any-return]
    except TypeError as error:
        raise DtypeError(f"{described(given)} is no type; a name such as 'float32' is accepted.") from error


def kernel_dtype(name: str, a: Array, b: Array) -> numpy.dtype[Any]:
    """The type in which a kernel computes: float32 for two float32, float64 when one is float64.

    Raises:
        DtypeError: one of them is neither.
    """
    if any(array.dtype.newbyteorder("=") not in (numpy.float32, numpy.float64) for array in (a, b)):
        raise unaccepted_by_kernels(name, a, b)
    return numpy.result_type(a.dtype, b.dtype).newbyteorder("=")


def unaccepted_by_kernels(name: str, a: Shaped, b: Shaped, types: Iterable[str] = ("float32", "float64")) -> DtypeError:
    """The error for host arrays of types that a kernel, or the kernels of an operation, do not take."""
    return DtypeError(f"{name} takes {' and '.join(types)}, but {describe(a, b)}; the host's NumPy takes the others.")


def host_dtype(operation: str, a: Array, b: Array) -> numpy.dtype[Any]:
    """The type of NumPy's result. Raises DtypeError if NumPy does not multiply these types."""
    try:
        dtypes = numpy.matmul.resolve_dtypes((a.dtype, b.dtype, None))  # type: ignore[arg-type, unused-ignore]
    except TypeError as error:
        raise unmultipliable(operation, a, b) from error
    return dtypes[2]


def check_out(
    out: object, shape: Shape, dtype: numpy.dtype[Any], operation: str, core_count: int | None = None
) -> Array | None:
    """`out` as an array that can take the result, or None if none was given.

    Of "dot" it has the result's type and is row-major without gaps, as `numpy.dot` has it. ``core_count``, for what
    NumPy has as a generalized ufunc: so many of the last axes are the result's; along the others, which may be longer
    or more than the result has, `out` is filled with the result. None: all axes are the result's.

    Raises:
        ShapeError: its shape is another.
        DtypeError: it is not an array, or `dtype` cannot be cast to its type with "same_kind".
        ValueError: it is read-only, or not exactly what is asked for.
    """
    if out is None:
        return None
    if not isinstance(out, numpy.ndarray) or isinstance(out, numpy.ma.MaskedArray):
        raise DtypeError(f"out is a {type(out).__qualname__}, and a NumPy array is accepted.")
    if out.shape != shape and (core_count is None or not _is_filled_by(out.shape, shape, core_count)):
        why = "; the shapes must be equal" if core_count is None else ", non-broadcastable to that shape"
        raise ShapeError(f"out is {out.shape} {out.dtype}, but the result is {shape} {dtype}{why}.")
    if operation == "dot":
        check_exactly(out, dtype)
    if not numpy.can_cast(dtype, out.dtype, "same_kind"):
        numpys_words = "" if core_count is None else f"Cannot cast ufunc {operation} output: "
        raise DtypeError(f"{numpys_words}out is {out.shape} {out.dtype}, which cannot hold the {dtype} of the result.")
    if not out.flags.writeable:
        raise ValueError(f"out is {out.shape} {out.dtype} and read-only.")
    return out


def _is_filled_by(out: Shape, shape: Shape, core_count: int) -> bool:
    """Whether a result broadcasts to the shape of `out` along its axes before the core's."""
    outer, outer_of_out = shape[: len(shape) - core_count], out[: len(out) - core_count]
    if out[len(outer_of_out) :] != shape[len(outer) :]:
        return False
    try:
        return numpy.broadcast_shapes(outer, outer_of_out) == outer_of_out
    except ValueError:
        return False


def check_exactly(out: Any, dtype: object) -> None:
    """Raise ValueError for an `out` that `numpy.dot` does not take, though `numpy.matmul` may."""
    if out.dtype != dtype:
        raise ValueError(f"out is {out.shape} {out.dtype}, and {dtype}, the result's type, is what dot takes.")
    if not out.flags.c_contiguous:
        raise ValueError(
            f"out is {out.shape} {out.dtype} with strides of {out.strides} bytes, and dot takes rows without gaps."
        )


def for_kernel(array: Array, dtype: numpy.dtype[Any]) -> Array:
    """The array as kernels read it: row-major, in the machine's byte order, of `dtype`; copied only if needed."""
    return numpy.ascontiguousarray(array, dtype=dtype).reshape(array.shape)


def deliver(c: Array, out: Array | None) -> Any:
    """The result for the caller: `out` itself if given, else a scalar for a 0-d result."""
    if out is None:
        return c[()] if c.ndim == 0 else c
    if out is not c:
        numpy.copyto(out, c, casting="same_kind")
    return out
