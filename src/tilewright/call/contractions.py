"""Common parts of dot, vecdot, tensordot and reduced_matmul, which use NumPy on the host and matmul on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.errors import DtypeError, describe, unmultipliable
from tilewright.arrays.host_array import (
    HostArray,
    as_subclass,
    check_out,
    computed_in,
    deliver,
    host_array,
    in_type,
    result_dtype,
)
from tilewright.arrays.jax import is_traced_by_jax
from tilewright.arrays.library_array import check_out as check_library_out
from tilewright.arrays.library_array import deliver as deliver_by_library
from tilewright.arrays.library_array import described, in_one_type
from tilewright.arrays.places import JAX, NUMPY, TORCH, place_of
from tilewright.arrays.torch import namespace_of
from tilewright.arrays.torch_modes import check_no_out, is_traced, needs_operator
from tilewright.choose import PlanError
from tilewright.kernels.operand import ELEMENT_BYTES
from tilewright.kernels.precision import precision_of
from tilewright.kernels.problem import INPUT_DTYPES

from .arguments import check_device
from .asked import check_sum_dtype
from .cuda_product import multiply_vectors
from .host_product import errors_of
from .matmul import matmul
from .repeated_product import OPTIONS, Options

OUT_DTYPE, PRECISION = OPTIONS.index("out_dtype"), OPTIONS.index("precision")

Array = NDArray[Any]
Shape = tuple[int, ...]


def way_of(operation: str, a: object, b: object, out: object = None) -> tuple[str, bool]:
    """The arrays' library, and whether their sums are computed by matmul, not by NumPy.

    matmul is used on a GPU. It is also used on the host under gradients or compilation by torch or JAX, since it has
    an operator for these.
    """
    if is_traced(a):
        return TORCH, True
    if is_traced_by_jax(a, b):
        check_library_out(out, JAX, (), "")
        return JAX, True
    place = place_of(A=a, B=b, out=out)
    recorded = place.library == TORCH and needs_operator(a, b, out)
    if recorded:
        check_no_out(operation, out, a, b)
    return place.library, place.on_gpu or recorded


def through_numpy(
    operation: str,
    a: object,
    b: object,
    out: object,
    library: str,
    shape_of: Callable[[HostArray, HostArray], Shape],
    compute: Callable[[Any, Any], Any],
    *,
    scalars: bool = True,
    precision: str = "auto",
) -> Any:
    """Compute on NumPy views of another library's arrays, and return the result as that library's.

    16-bit types are computed in float32 and rounded once. ``scalars``: a 0-d result of NumPy's is a scalar of its own.
    """
    left, right = host_array(a, "A", library), host_array(b, "B", library)
    shape, dtype = shape_of(left, right), result_dtype(operation, left, right, library)
    precision_of(dtype, precision)
    core_count = 0 if operation == "vecdot" else None
    check_out(out, library, shape, dtype, left, right, operation=operation, core_count=core_count)
    operands = [_as_given(left, library), _as_given(right, library)]
    if library != NUMPY or {dtype, left.dtype, right.dtype} & set(INPUT_DTYPES):
        operands = [in_type(array.values, computed_in(dtype)) for array in (left, right)]
    try:
        with errors_of(library):
            product = numpy.asanyarray(compute(*operands))
        if library == NUMPY and out is None and operands[0] is not left.given:
            product = as_subclass(product, left, right, plain_ones_count=operation != "vecdot")
    except TypeError as error:
        if isinstance(error, DtypeError) or numpy.dtype(object) not in (left.values.dtype, right.values.dtype):
            raise
        raise unmultipliable(operation, left, right) from error
    with errors_of(library):
        result = deliver(product, dtype, left, right, library, out)
    if scalars or library != NUMPY or isinstance(result, numpy.ndarray):
        return result
    return numpy.asarray(result, object if dtype == "object" else None)


def in_wider_type(operation: str, a: Any, b: Any, library: str, dtype: object) -> tuple[Any, Any]:
    """Host arrays in the type in which their products are to be summed. Raises DtypeError if sums have no such type."""
    left, right = host_array(a, "A", library), host_array(b, "B", library)
    name = check_sum_dtype(dtype, result_dtype(operation, left, right, library), describe(left, right))
    if library == NUMPY:
        return numpy.asarray(left.values, name), numpy.asarray(right.values, name)
    xp = namespace_of(a)
    return xp.astype(a, getattr(xp, name)), xp.astype(b, getattr(xp, name))


def _as_given(array: HostArray, library: str) -> Any:
    """The array to pass to NumPy, which handles subclasses of its arrays itself."""
    return array.given if library == NUMPY and isinstance(array.given, numpy.ndarray) else array.values


def vectors_on_gpu(
    a: Any, b: Any, axes: tuple[int, int], shape: Shape, library: str, out: Any, options: Options
) -> Any:
    """Multiply A and B and sum over one axis of each; the other axes broadcast. A is not conjugated.

    ``options`` are those under which the product is remembered, the first of them the result's type or None. Arrays
    without values, or whose gradients are recorded, and types that no kernel takes are multiplied by matmul.
    """
    left, right = in_one_type(a, b, library)
    described_left = described(left)
    asked_dtype = options[OUT_DTYPE]
    precision_of(described_left.dtype, options[PRECISION])
    if described_left.dtype in ELEMENT_BYTES and _are_plain_on_gpu(left, right):
        if library == TORCH and out is not None and out.is_neg():  # it stands for the negatives of its memory
            return out.copy_(vectors_on_gpu(left, right, axes, shape, library, None, options))
        remembered = options if left is a and right is b else None
        return multiply_vectors(left, right, axes, shape, out, library, asked_dtype, remembered)
    xp = namespace_of(left)
    dtype = check_sum_dtype(asked_dtype, described_left.dtype, describe(described_left, described(right)))
    if dtype != described_left.dtype:
        left, right = (xp.astype(array, getattr(xp, dtype)) for array in (left, right))
    check_library_out(out, library, shape, dtype)
    rows, columns = _with_last(xp, left, axes[0]), _with_last(xp, right, axes[1])
    product = matmul(rows[..., None, :], columns[..., :, None], precision=options[PRECISION])
    return deliver_by_library(product[..., 0, 0], out)


def _are_plain_on_gpu(a: object, b: object) -> bool:
    """Whether these are values on a GPU, of which no gradients are recorded."""
    if is_traced(a) or is_traced_by_jax(a, b) or needs_operator(a, b):
        return False
    return place_of(A=a, B=b).on_gpu


def _with_last(xp: Any, array: Any, axis: int) -> Any:
    """The array with that axis moved to the end (torch.vmap does not support moveaxis)."""
    return xp.permute_dims(array, (*range(axis), *range(axis + 1, array.ndim), axis))


def check_gpu_options(operation: str, kernel: object, device: object, tile: object) -> None:
    """Raise PlanError for a kernel, tile or other machine, since matmul's kernels are used on a GPU."""
    if check_device(device) not in {"auto", "gpu"}:
        raise PlanError(
            f"The arrays are on a GPU, where device is 'auto' or 'gpu', not {device!r}; copy them back first."
        )
    if kernel != "auto" or tile is not None:
        raise PlanError(
            f"{operation} of arrays on a GPU runs on matmul's kernels; its own kernels and tiles go with host arrays."
        )
