"""Products of host arrays on a GPU: copied in, multiplied, copied back. `trip_rates.py` decides when that pays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.cuda_array import CudaArray, Shape, packed_strides
from tilewright.arrays.host_array import in_type, is_16_bit
from tilewright.arrays.numpy import kernel_dtype
from tilewright.choose import PlanError
from tilewright.choose.plan import Plan
from tilewright.compile import CompileError, CompilerMissingError
from tilewright.kernels.problem import INPUT_DTYPES
from tilewright.launch import DeviceUnavailableError
from tilewright.launch.cuda.staging import StagedCopies, staged_copies

from .cuda_product import plan_of, planned_run

Array = NDArray[Any]

FIRST_GPU = 0

NO_WAY = (CompileError, CompilerMissingError, DeviceUnavailableError, PlanError)
"""Errors of a GPU that cannot multiply: no compiler, one that does not support the chip, or no kernel for the chip."""


def operands(a: Array, b: Array) -> tuple[Array, Array, numpy.dtype[Any]]:
    """A and B in one type that is multiplied on a GPU, and the type of what comes back.

    Raises:
        DtypeError: they are in none.
    """
    dtype = a.dtype.name if a.dtype == b.dtype and is_16_bit(a) else kernel_dtype("matmul", a, b).name
    return in_type(a, dtype), in_type(b, dtype), numpy.dtype(out_dtype(dtype))


def multiply(a: Array, b: Array, shape: Shape, precision: str = "auto") -> Array:
    """A B by the first GPU for A and B of one type that is multiplied there; 16-bit types give float32.

    Raises:
        DeviceUnavailableError: no GPU can be used here.
        OutOfMemoryError, MachineError: the GPU refuses.
        PlanError: no plan does this product.
    """
    result = numpy.zeros(shape, out_dtype(a.dtype.name))
    if result.size == 0 or a.size == 0:
        return result
    copies = staged_copies(FIRST_GPU)
    copies.device.check_process()  # before the lock, which another thread may have held when this process was forked
    held: list[int] = []

    def memory(nbytes: int) -> int:
        held.append(copies.allocate(nbytes))
        return held[-1]

    with copies.lock, copies.device.entered():
        try:
            left, right = _sent(a, memory, copies), _sent(b, memory, copies)
            target = _packed(memory(result.nbytes), shape, result.dtype.name)
            run = planned_run(left, right, target, copies.device, precision)
            working = memory(run.workspace_bytes) if run.workspace_bytes else 0
            run.run((left.address, right.address, target.address, 0, 0, working), copies.stream)
            copies.to_host(target.address, result)
        finally:
            for address in held:
                copies.free(address)
    return result


def explain(a: Array, b: Array, shape: Shape, reason: str, precision: str = "auto") -> Plan:
    """The plan of a product that goes to the GPU, with the reason. Nothing runs."""
    left, right = (CudaArray(0, array.shape, _block(array)[1], array.dtype.name, FIRST_GPU, None) for array in (a, b))
    target = _packed(0, shape, out_dtype(a.dtype.name))
    plan = plan_of(left, right, target, staged_copies(FIRST_GPU).device, precision)
    return replace(plan, reasons=(reason, *plan.reasons))


def out_dtype(dtype: str) -> str:
    """The type of the sums for operands of a type, in which they are copied back."""
    return "float32" if dtype in INPUT_DTYPES else dtype


def _sent(array: Array, memory: Callable[[int], int], copies: StagedCopies) -> CudaArray:
    """An array copied to the GPU with its dimensions in the same order in memory."""
    block, strides = _block(array)
    address = memory(block.nbytes)
    copies.to_gpu(block, address)
    return CudaArray(address, array.shape, strides, array.dtype.name, FIRST_GPU, None)


def _block(array: Array) -> tuple[Array, Shape]:
    """All distinct elements as one C-contiguous array (copied only if it has gaps), and the array's strides in it.

    Broadcast elements (stride 0) are included once.
    """
    distinct = unrepeated(array)
    order = sorted(range(array.ndim), key=lambda axis: -abs(distinct.strides[axis]) if distinct.shape[axis] > 1 else 0)
    block = numpy.ascontiguousarray(distinct.transpose(order))
    packed = packed_strides(block.shape)
    strides = tuple(
        0 if distinct.shape[axis] < array.shape[axis] else packed[order.index(axis)] for axis in range(array.ndim)
    )
    return block, strides


def unrepeated(array: Array) -> Array:
    """The array with one element along each axis of stride 0."""
    walked = zip(array.strides, array.shape, strict=True)
    once: Array = array[tuple(slice(0, 1) if stride == 0 and extent > 1 else slice(None) for stride, extent in walked)]
    return once


def _packed(address: int, shape: Shape, dtype: str) -> CudaArray:
    return CudaArray(address, shape, packed_strides(shape), dtype, FIRST_GPU, None)
