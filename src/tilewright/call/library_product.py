"""Products on a GPU in types that no kernel multiplies (integers, bool, complex), by the arrays' own library.

torch does not multiply integers on a GPU. Products of its tensors are added up here, exactly modulo the type's range.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy

from tilewright.arrays.errors import DtypeError, describe
from tilewright.arrays.library_array import check_out, deliver, described, last_name, strides_of
from tilewright.arrays.numpy import type_name
from tilewright.arrays.overlap import check_places
from tilewright.arrays.places import CUPY, TORCH
from tilewright.arrays.torch import namespace_of
from tilewright.choose import PlanError
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.precision import precision_of

from .arguments import check_device, check_precision
from .epilogue import check_epilogue, check_has_epilogue
from .shapes import check_shapes

MOST_PRODUCTS = 2**26
"""The number of integer products in memory at a time (512 MiB)."""

TORCH_INTEGERS = frozenset({"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"})


def explain_by_library(dtype: str, library: str) -> str:
    """The reason in a plan that has no launches of ours."""
    how = "adds up the products" if library == TORCH and dtype in TORCH_INTEGERS else "multiplies them"
    return f"No kernel multiplies {dtype}: {library} {how}."


def multiply_by_library(
    a: object,
    b: object,
    out: object,
    library: str,
    *,
    out_dtype: object = None,
    alpha: object = 1,
    beta: object = 0,
    c: object = None,
    bias: object = None,
    activation: object = None,
    kernel: str = "auto",
    tile: object = None,
    device: object = "auto",
    precision: object = "auto",
) -> Any:
    """A B for A and B of one type, by their library; `out` or an array of the library.

    Raises:
        ShapeError, DtypeError, PlanError: as `tilewright.matmul`.
    """
    left, right = described(a), described(b)
    shape, given = check_shapes("matmul", left, right), describe(left, right)
    check_has_epilogue(left.dtype, check_epilogue(alpha, beta, c, activation), bias, given)
    if kernel.rpartition("/")[2] != "auto" or tile is not None or check_device(device) not in {"auto", "gpu"}:
        raise PlanError(f"Kernels on a GPU take {', '.join(DTYPE_BYTES)}, but {given}; leave kernel and tile out.")
    precision_of(left.dtype, check_precision(precision))
    if out_dtype is not None and type_name(out_dtype) != left.dtype:
        raise DtypeError(f"out_dtype is {type_name(out_dtype)}, and {left.dtype} is accepted; {given}.")
    check_out(out, library, shape, left.dtype)
    try:
        result = _sums(a, b) if _adds_up(a, library) else namespace_of(a).matmul(a, b)
    except (NotImplementedError, RuntimeError, TypeError) as error:
        raise DtypeError(f"{library} does not multiply these: {given} ({' '.join(str(error).split())}).") from error
    return deliver(result, out)


def pair_sums(a: Any, b: Any) -> tuple[Any, Any]:
    """The sums of neighbouring rows of A and of neighbouring columns of B, in their type. Raises as reduced_matmul."""
    check_shapes("reduced_matmul", described(a), described(b))
    return a[..., 0::2, :] + a[..., 1::2, :], b[..., 0::2] + b[..., 1::2]


def takes_a_cast(out: Any, a: Any, b: Any, library: str, operation: str = "matmul") -> bool:
    """Whether `out` is a CuPy array of the result's shape and a different type to which "same_kind" casts."""
    if library != CUPY or out.dtype == a.dtype or not numpy.can_cast(a.dtype, out.dtype, "same_kind"):
        return False
    into = described(out)
    if into.shape != check_shapes(operation, described(a), described(b)):
        return False
    check_places(into.shape, strides_of(out, library) or (), into.dtype)
    return True


def _adds_up(a: Any, library: str) -> bool:
    return library == TORCH and last_name(a.dtype) in TORCH_INTEGERS


def _sums(a: Any, b: Any) -> Any:
    """A B for torch's integers: sums of products in int64, wrapped to the type; for bool, whether any is true."""
    import torch

    rows, columns = (a if a.ndim > 1 else a[None, :]).long(), (b if b.ndim > 1 else b[:, None]).long()
    m, k, n = rows.shape[-2], rows.shape[-1], columns.shape[-1]
    batch = torch.broadcast_shapes(rows.shape[:-2], columns.shape[:-2])
    total = torch.zeros((*batch, m, n), dtype=torch.int64, device=a.device)
    step = max(1, MOST_PRODUCTS // max(1, prod(batch) * m * n))
    for first in range(0, k, step):
        part = slice(first, first + step)
        total += (rows[..., :, part, None] * columns[..., None, part, :]).sum(-2)
    result = (total > 0) if a.dtype == torch.bool else total.to(a.dtype)
    result = result if b.ndim > 1 else result[..., 0]
    return result if a.ndim > 1 else result[..., 0, :] if b.ndim > 1 else result[..., 0]
