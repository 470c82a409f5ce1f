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
from tilewright.kernels.operand import DTYPE_BYTES, ELEMENT_BYTES
from tilewright.kernels.precision import precision_of
from tilewright.kernels.problem import INPUT_DTYPES, Problem

from .arguments import check_precision
from .contractions import check_gpu_options
from .cuda_product import explain_described, explain_vectors
from .library_product import explain_by_library
from .shapes import check_shapes, dot_shape


def explain_on_gpu(operation: str, a: object, b: object, library: str, **chosen: Any) -> Plan:
    """The plan of an operation on two arrays on a GPU; ``chosen`` are kernel, tile, device and precision."""
    if library == CUDA and operation != "dot":
        with suppress(NoKernelError):  # whose types are the lender's matter
            left, right = memory(library).describe(a, "A"), memory(library).describe(b, "B")
            if left.dtype == right.dtype:
                return explain_described(left, right, operation=operation, **chosen)
    if library == CUDA:
        library, a, b = lender_of(CUDA), borrowed(a, "A"), borrowed(b, "B")
    if operation == "dot":
        check_gpu_options(operation, chosen["kernel"], chosen["device"], chosen["tile"])
        return _dot(a, b, library, chosen["precision"])
    return _product(operation, a, b, library, **chosen)


def _product(operation: str, a: object, b: object, library: str, **chosen: Any) -> Plan:
    check_shapes(operation, described(a), described(b))
    dtype = last_name(promoted(a, b))
    if dtype not in DTYPE_BYTES:
        precision_of(dtype, check_precision(chosen["precision"]))
        return _by_library(a, b, dtype, library)
    left, right = (_as_read(array, name, library, dtype) for array, name in ((a, "A"), (b, "B")))
    return explain_described(left, right, operation=operation, **chosen)


def _dot(a: object, b: object, library: str, precision: str) -> Plan:
    left, right = described(a), described(b)
    shape, dtype = dot_shape(left, right), last_name(promoted(a, b))
    precision_of(dtype, check_precision(precision))
    if left.ndim == 0 or right.ndim == 0:
        return _library_plan(
            (prod(shape), 1, 1), dtype, library, f"A number scales the other: {library} multiplies them."
        )
    if left.ndim == right.ndim == 1 and dtype in ELEMENT_BYTES:
        return _vectors(a, b, library, dtype)
    if dtype not in DTYPE_BYTES:
        return _by_library(a, b, dtype, library)
    if right.ndim <= 2:
        return _product("matmul", a, b, library, precision=precision)
    device, k = _ordinal(a, library), left.shape[-1]
    m, n = prod(left.shape[:-1]), prod(shape[left.ndim - 1 :])
    rows, columns = _packed((m, k), dtype, device), _packed((k, n), dtype, device)
    plan = explain_described(rows, columns, precision=precision)
    return _with_reason(plan, f"{library} brings the axes that are left together, as rows and as columns.")


def _vectors(a: object, b: object, library: str, dtype: str) -> Plan:
    """The plan of one product of vectors."""
    left, right = (_as_read(array, name, library, dtype) for array, name in ((a, "A"), (b, "B")))
    return explain_vectors(left, right, (0, 0), ())


def _as_read(array: Any, name: str, library: str, dtype: str) -> CudaArray:
    """The array as a kernel reads it: in place, or a copy in that type."""
    if described(array).dtype == dtype:
        return memory(library).describe(array, name)
    return _packed(tuple(array.shape), dtype, _ordinal(array, library))


def _packed(shape: Shape, dtype: str, device: int) -> CudaArray:
    return CudaArray(0, shape, packed_strides(shape), dtype, device, owner=None)


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
