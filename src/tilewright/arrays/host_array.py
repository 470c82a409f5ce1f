"""Host arrays of any library: taken as NumPy arrays over the same memory, and returned as their own library's.

NumPy has no bfloat16: JAX's is `ml_dtypes`' type, and torch's is converted to float32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
from array_api_compat import array_namespace
from numpy.typing import NDArray

from tilewright.kernels.problem import INPUT_DTYPES

from . import library_array
from . import numpy as arrays
from .errors import DtypeError, unmultipliable
from .jax import jax_array
from .library_array import last_name
from .places import JAX, NUMPY, TORCH
from .torch import to_numpy, to_tensor

Array = NDArray[Any]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class HostArray:
    """A host array: its values as a NumPy array, and the name of its own type. ``given`` is the caller's object."""

    values: Array
    dtype: str
    given: Any

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.values.ndim

    @property
    def shape(self) -> Shape:
        """The extents."""
        return self.values.shape


def host_array(given: Any, name: str, library: str) -> HostArray:
    """Describe a host array of a library. Raises DtypeError or ShapeError for anything else."""
    if library == TORCH:
        return HostArray(to_numpy(given, name), last_name(given.dtype), given)
    if library == NUMPY:
        values = arrays.as_operand(given, name)
    elif library == JAX:
        values = numpy.asarray(given)
    else:
        try:
            values = numpy.from_dlpack(given)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise DtypeError(f"{name} is a {type(given).__qualname__} that NumPy cannot take over: {error}") from error
    return HostArray(values, arrays.name_of(values.dtype), given)


def result_dtype(operation: str, a: HostArray, b: HostArray, library: str) -> str:
    """The name of the result's type, promoted by the arrays' own library, or else by NumPy.

    Raises:
        DtypeError: neither can promote the types.
    """
    if library == NUMPY and not a.dtype == b.dtype == "bfloat16":
        return arrays.name_of(arrays.host_dtype(operation, a.values, b.values))
    if a.dtype == b.dtype:
        return a.dtype
    if library != NUMPY and _has_functions(a.given, library):
        try:
            types = (a.given, b.given) if library == JAX else (a.given.dtype, b.given.dtype)  # JAX's may be weak
            return last_name(array_namespace(a.given).result_type(*types))
        except TypeError:
            pass  # array-api-strict says nothing of an integer with a float, and NumPy does
    try:
        return numpy.result_type(a.values, b.values).name
    except TypeError as error:
        raise unmultipliable(operation, a, b) from error


def is_16_bit(*given: object) -> bool:
    """Whether one of these is a NumPy array of a 16-bit type, computed in float32 and rounded once."""
    return any(isinstance(array, numpy.ndarray) and arrays.name_of(array.dtype) in INPUT_DTYPES for array in given)


def computed_in(dtype: str) -> str:
    """The type in which the host computes: float32 for 16-bit types, else the type itself."""
    return "float32" if dtype in INPUT_DTYPES else dtype


def in_type(values: Array, dtype: str | numpy.dtype[Any]) -> Array:
    """The values in a type and the machine's byte order, copied only if needed."""
    name = dtype if isinstance(dtype, str) else dtype.name
    return values if values.dtype.name == name and values.dtype.isnative else values.astype(name)


def check_out(
    out: object,
    library: str,
    shape: Shape,
    dtype: str,
    *operands: HostArray,
    operation: str,
    core_count: int | None = None,
) -> None:
    """Refuse an `out` that cannot take a result of that shape and type; NumPy's by the rules of `arrays.numpy`.

    Raises:
        ShapeError: its shape differs.
        DtypeError: the result is not cast to its type.
        ValueError: it is read-only, as all of JAX's arrays are.
    """
    if out is None:
        return
    if library == NUMPY:
        arrays.check_out(out, shape, numpy_type(dtype, *operands), operation, core_count)
        return
    if library != JAX and not _has_functions(out, library):
        raise DtypeError(f"out is a {type(out).__qualname__}, which nothing here can write; leave out away.")
    library_array.check_out(out, library, shape, dtype)


def deliver(
    product: Array, dtype: str, like: HostArray, other: HostArray, library: str, out: Any, *added: HostArray | None
) -> Any:
    """The result for the caller: an array of the inputs' library on their device, or `out` itself.

    ``added``: c and bias, which have a say in which of JAX's devices the result belongs to.
    """
    if library == TORCH:
        tensor = to_tensor(product, dtype)
        return tensor if out is None else out.copy_(tensor)
    with numpy.errstate(over="ignore"):  # a sum beyond float16 is infinite, as on a GPU
        values = product.astype(numpy_type(dtype, like, other), copy=False)
    if library == NUMPY or not _has_functions(like.given, library):
        return arrays.deliver(values, out)
    if library == JAX:
        return jax_array(values, [operand.given for operand in (like, other, *added) if operand is not None])
    xp = array_namespace(like.given)
    result = xp.asarray(xp.from_dlpack(values), device=like.given.device)
    if out is None:
        return result
    out[...] = result
    return out


def as_subclass(values: Array, *operands: HostArray, plain_ones_count: bool = False) -> Array:
    """A result wrapped as NumPy does for operands of array subclasses: by the rule of the first such operand.

    plain_ones_count: a plain array that comes first takes precedence, as in numpy.dot but not in ufuncs.
    """
    given = [each.given for each in operands if isinstance(each.given, numpy.ndarray)]
    subclasses = [array for array in given if plain_ones_count or type(array) is not numpy.ndarray]
    if not subclasses or type(values) is not numpy.ndarray:
        return values
    foremost: Any = max(subclasses, key=lambda array: getattr(array, "__array_priority__", 0.0))
    return numpy.asanyarray(foremost.__array_wrap__(values))


def _has_functions(given: object, library: str) -> bool:
    """Whether array-api-compat finds the array API's functions for an array."""
    return library in {TORCH, JAX} or hasattr(given, "__array_namespace__")


def numpy_type(dtype: str, *operands: HostArray) -> numpy.dtype[Any]:
    """NumPy's type of that name; for bfloat16, which NumPy lacks, an operand's own."""
    known = [operand.values.dtype for operand in operands if arrays.name_of(operand.values.dtype) == dtype]
    return known[0].newbyteorder("=") if known else numpy.dtype(dtype)
