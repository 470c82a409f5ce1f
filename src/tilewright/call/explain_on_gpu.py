"""Plans of the public functions for arrays on a GPU: each one's is that of a matrix product. Nothing runs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from math import prod
from typing import Any

from tilewright.arrays.cuda_array import CudaArray, NoKernelError, Shape, packed_strides
from tilewright.arrays.foreign import borrowed
from tilewright.arrays.library_array import described, last_name, promoted
from tilewright.arrays.memory import lender_of, memory
from tilewright.arrays.places import CUDA, CUPY, TORCH
from tilewright.choose.plan import Plan
from tilewright.kernels import library_kernel
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.kernels.problem import INPUT_DTYPES, Problem

from .contractions import LONG, PART, check_gpu_options
from .cuda_product import explain_described
from .library_product import explain_by_library
from .shapes import check_shapes, dot_shape


def explain_on_gpu(operation: str, a: object, b: object, library: str, **chosen: Any) -> Plan:
    """The plan of an operation on two arrays on a GPU; ``chosen`` are kernel, tile and device."""
    if library == CUDA and operation == "matmul":
        with suppress(NoKernelError):  # whose types are the lender's matter
            left, right = memory(library).describe(a, "A"), memory(library).describe(b, "B")
            if left.dtype == right.dtype:
                return explain_described(left, right, **chosen)
    if library == CUDA:
        library, a, b = lender_of(CUDA), borrowed(a, "A"), borrowed(b, "B")
    if operation != "matmul":
        check_gpu_options(operation, chosen["kernel"], chosen["device"], chosen["tile"])
        return (_reduced_matmul if operation == "reduced_matmul" else _dot)(a, b, library)
    return _matmul(a, b, library, **chosen)


def _matmul(a: object, b: object, library: str, **chosen: Any) -> Plan:
    check_shapes("matmul", described(a), described(b))
    dtype = last_name(promoted(a, b))
    if dtype not in DTYPE_BYTES:
        return _by_library(a, b, dtype, library)
    left, right = (_as_read(array, name, library, dtype) for array, name in ((a, "A"), (b, "B")))
    return explain_described(left, right, **chosen)


def _reduced_matmul(a: Any, b: Any, library: str) -> Plan:
    """The plan of the product that remains after the library has added the pairs."""
    check_shapes("reduced_matmul", described(a), described(b))
    dtype = last_name(promoted(a, b))
    if dtype not in DTYPE_BYTES:
        return _by_library(a, b, dtype, library)
    (*batch, m, k), (*batch_of_b, _, n) = a.shape, b.shape
    summed, device = _summed_in(dtype), _ordinal(a, library)
    rows = _packed((*batch, m // 2, k), summed, device)
    columns = _packed((*batch_of_b, k, n // 2), summed, device)
    said = f"{library} adds the pairs of rows and of columns first, in {summed}, which takes k products and not 4 k."
    return _with_reason(explain_described(rows, columns), said)


def _dot(a: object, b: object, library: str) -> Plan:
    left, right = described(a), described(b)
    shape, dtype = dot_shape(left, right), last_name(promoted(a, b))
    if left.ndim == 0 or right.ndim == 0:
        return _library_plan(
            (prod(shape), 1, 1), dtype, library, f"A number scales the other: {library} multiplies them."
        )
    if dtype not in DTYPE_BYTES:
        return _by_library(a, b, dtype, library)
    if left.ndim == right.ndim == 1:
        return _vectors(a, b, library, dtype)
    if right.ndim <= 2:
        return _matmul(a, b, library)
    device, k = _ordinal(a, library), left.shape[-1]
    m, n = prod(left.shape[:-1]), prod(shape[left.ndim - 1 :])
    plan = explain_described(_packed((m, k), dtype, device), _packed((k, n), dtype, device))
    return _with_reason(plan, f"{library} brings the axes that are left together, as rows and as columns.")


def _vectors(a: object, b: object, library: str, dtype: str) -> Plan:
    """The plan of a row times a column; for a long sum, that of its parts."""
    left, right = (_as_read(array, name, library, dtype) for array, name in ((a, "A"), (b, "B")))
    k, (step,), (step_of_b,) = left.shape[0], left.strides, right.strides
    if k <= LONG:
        return explain_described(_lying(left, (1, k), (k * step, step)), _lying(right, (k, 1), (step_of_b, 1)))
    parts = k // PART
    rows = _lying(left, (parts, 1, PART), (PART * step, PART * step, step))
    columns = _lying(right, (parts, PART, 1), (PART * step_of_b, step_of_b, 1))
    plan = explain_described(rows, columns, out_dtype=_summed_in(dtype))
    rest = f", and the last {k % PART} by a product of their own" if k % PART else ""
    said = f"A sum of {k:,} products is made of {parts:,} sums of {PART:,}, which {library} adds{rest}."
    return _with_reason(plan, said)


def _as_read(array: Any, name: str, library: str, dtype: str) -> CudaArray:
    """The array as a kernel reads it: in place, or a copy in that type."""
    if described(array).dtype == dtype:
        return memory(library).describe(array, name)
    return _packed(tuple(array.shape), dtype, _ordinal(array, library))


def _packed(shape: Shape, dtype: str, device: int) -> CudaArray:
    return CudaArray(0, shape, packed_strides(shape), dtype, device, owner=None)


def _lying(array: CudaArray, shape: Shape, strides: Shape) -> CudaArray:
    return replace(array, shape=shape, strides=strides)


def _summed_in(dtype: str) -> str:
    return "float32" if dtype in INPUT_DTYPES else dtype


def _with_reason(plan: Plan, reason: str) -> Plan:
    return replace(plan, reasons=(reason, *plan.reasons))


def _by_library(a: Any, b: Any, dtype: str, library: str) -> Plan:
    m, k = (1, *a.shape)[-2:]
    n = b.shape[-1] if len(b.shape) > 1 else 1
    return _library_plan((m, n, k), dtype, library, explain_by_library(dtype, library))


def _library_plan(sizes: tuple[int, int, int], dtype: str, library: str, reason: str) -> Plan:
    problem = Problem.of("matmul", *sizes, dtype)
    return Plan(problem, library_kernel("matmul", library), "gpu", None, reasons=(reason,))


def _ordinal(array: Any, library: str) -> int:
    if library == TORCH:
        return int(array.get_device())
    return int(array.device.id if library == CUPY else array.device.local_hardware_id)
