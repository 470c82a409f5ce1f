"""Common parts of dot, vecdot, tensordot and reduced_matmul, which use NumPy on the host and matmul on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.errors import DtypeError, unmultipliable
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
from tilewright.kernels.problem import INPUT_DTYPES

from .arguments import check_device
from .matmul import matmul

Array = NDArray[Any]
Shape = tuple[int, ...]

LONG, PART = 8192, 4096
"""A sum of more elements than LONG is split into sums of PART, so that it does not run on a single block."""


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
        check_no_out(operation, out)
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
) -> Any:
    """Compute on NumPy views of another library's arrays, and return the result as that library's.

    16-bit types are computed in float32 and rounded once. ``scalars``: a 0-d result of NumPy's is a scalar of its own.
    """
    left, right = host_array(a, "A", library), host_array(b, "B", library)
    shape, dtype = shape_of(left, right), result_dtype(operation, left, right, library)
    check_out(out, library, shape, dtype, left, right)
    operands = [_as_given(left, library), _as_given(right, library)]
    if library != NUMPY or {dtype, left.dtype, right.dtype} & set(INPUT_DTYPES):
        operands = [in_type(array.values, computed_in(dtype)) for array in (left, right)]
    try:
        product = numpy.asanyarray(compute(*operands))
        if library == NUMPY and out is None and operands[0] is not left.given:
            product = as_subclass(product, left, right, plain_ones_count=operation != "vecdot")
    except TypeError as error:
        if isinstance(error, DtypeError) or numpy.dtype(object) not in (left.values.dtype, right.values.dtype):
            raise
        raise unmultipliable(operation, left, right) from error
    result = deliver(product, dtype, left, right, library, out)
    if scalars or library != NUMPY or isinstance(result, numpy.ndarray):
        return result
    return numpy.asarray(result, object if dtype == "object" else None)


def _as_given(array: HostArray, library: str) -> Any:
    """The array to pass to NumPy, which handles subclasses of its arrays itself."""
    return array.given if library == NUMPY and isinstance(array.given, numpy.ndarray) else array.values


def vectors_on_gpu(a: Any, b: Any, a_axis: int, b_axis: int, shape: Shape, library: str, out: object) -> Any:
    """Multiply A and B and sum over one axis of each; the other axes broadcast. A is not conjugated."""
    a, b = in_one_type(a, b, library)
    xp = namespace_of(a)
    dtype = described(a).dtype
    check_library_out(out, library, shape, dtype)
    rows, columns = _with_last(xp, a, a_axis), _with_last(xp, b, b_axis)
    k = rows.shape[-1]
    if k <= LONG:
        return deliver_by_library(matmul(rows[..., None, :], columns[..., :, None])[..., 0, 0], out)
    summed = "float32" if dtype in INPUT_DTYPES else None
    parts, whole = k // PART, k // PART * PART
    split = [xp.reshape(array[..., :whole], (*array.shape[:-1], parts, PART)) for array in (rows, columns)]
    sums = matmul(split[0][..., None, :], split[1][..., :, None], out_dtype=summed)[..., 0, 0]
    total = xp.sum(sums, axis=-1, dtype=sums.dtype)
    if whole < k:
        rest = rows[..., None, whole:], columns[..., whole:, None]
        total = total + matmul(*rest, out_dtype=summed)[..., 0, 0]
    return deliver_by_library(total if summed is None else xp.astype(total, a.dtype), out)


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
