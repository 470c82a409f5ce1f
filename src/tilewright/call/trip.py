"""Products of the host's arrays by way of a GPU: there, multiplied, and back. `choose/trip.py` says when that pays."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import prod
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.cuda_array import ELEMENT_BYTES, CudaArray, Shape, packed_strides
from tilewright.arrays.host_array import in_type, is_16_bit
from tilewright.arrays.numpy import kernel_dtype
from tilewright.choose import PlanError
from tilewright.choose.plan import Plan
from tilewright.choose.trip import LEAST_FLOPS, LEAST_HOST_SECONDS, Rates, Verdict, judge
from tilewright.compile import CompileError, CompilerMissingError
from tilewright.kernels.problem import INPUT_DTYPES
from tilewright.launch import DeviceUnavailableError, MachineError, OutOfMemoryError, driver_report
from tilewright.launch.staging import StagedCopies, staged_copies

from .cuda_product import plan_of, planned_run

Array = NDArray[Any]

FIRST_GPU = 0
PROBE_SIDE = 1024
PROBE_BYTES = 64 * 2**20

NO_WAY = (CompileError, CompilerMissingError, DeviceUnavailableError, PlanError)
"""What a GPU that cannot multiply refuses with: no compiler, one without code for the chip, a chip without a kernel."""


def operands(a: Array, b: Array) -> tuple[Array, Array, numpy.dtype[Any]]:
    """A and B in one type that is multiplied on a GPU, and the type of what comes back.

    Raises:
        DtypeError: they are in none.
    """
    dtype = a.dtype.name if a.dtype == b.dtype and is_16_bit(a) else kernel_dtype("matmul", a, b).name
    return in_type(a, dtype), in_type(b, dtype), numpy.dtype(out_dtype(dtype))


def multiply(a: Array, b: Array, shape: Shape) -> Array:
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
            run = planned_run(left, right, target, copies.device)
            working = memory(run.workspace_bytes) if run.workspace_bytes else 0
            run.run((left.address, right.address, target.address, 0, 0, working), copies.stream)
            copies.to_host(target.address, result)
        finally:
            for address in held:
                copies.free(address)
    return result


def multiply_if_it_pays(a: Array, b: Array, dtype: numpy.dtype[Any], shape: Shape) -> Array | None:
    """The product in a type by way of a GPU, or None where the host is to compute it."""
    if flops(a, shape) < LEAST_FLOPS:
        return None
    left, right = (in_type(array.view(numpy.ndarray), dtype) for array in (a, b))
    found = verdict(left, right, shape)
    if found is None or not found.goes:
        return None
    try:
        return multiply(left, right, shape)
    except (OutOfMemoryError, *NO_WAY):
        return None  # more than the GPU holds, or than one plan takes; or this is a child of the process that has it


def verdict(a: Array, b: Array, shape: Shape) -> Verdict | None:
    """Whether A and B go to the GPU and back, and why; None where there is no GPU, or nothing to gain from one."""
    work, dtype = flops(a, shape), a.dtype.name
    if work < LEAST_FLOPS or dtype not in ELEMENT_BYTES or b.dtype != a.dtype or driver_report().problem is not None:
        return None
    if work < LEAST_HOST_SECONDS * host_gflops(dtype) * 1e9:
        return None
    rates = measured_rates(dtype)
    there = sum(_distinct(array).nbytes for array in (a, b))
    back = prod(shape) * numpy.dtype(out_dtype(dtype)).itemsize
    return None if rates is None else judge(work, there, back, rates)


def explain(a: Array, b: Array, shape: Shape, reason: str) -> Plan:
    """The plan of a product that goes to the GPU, with the reason why it does. Nothing runs."""
    left, right = (CudaArray(0, array.shape, _block(array)[1], array.dtype.name, FIRST_GPU, None) for array in (a, b))
    plan = plan_of(left, right, _packed(0, shape, out_dtype(a.dtype.name)), staged_copies(FIRST_GPU).device)
    return replace(plan, reasons=(reason, *plan.reasons))


def out_dtype(dtype: str) -> str:
    """The type of the sums for operands of a type; they come back as they are."""
    return "float32" if dtype in INPUT_DTYPES else dtype


def flops(a: Array, shape: Shape) -> int:
    """The operations of a product of this shape."""
    return 2 * prod(shape) * int(a.shape[-1])


@cache
def host_gflops(dtype: str) -> float:
    """What NumPy does on this host in the type in which it computes that one, measured once per process."""
    a = numpy.ones((PROBE_SIDE, PROBE_SIDE), out_dtype(dtype))
    return 2e-9 * PROBE_SIDE**3 / _seconds(lambda: numpy.matmul(a, a))


@cache
def measured_rates(dtype: str) -> Rates | None:
    """The rates of this host, its first GPU and the way between, measured once per process; None without one."""
    try:
        copies = staged_copies(FIRST_GPU)
        probe = numpy.ones((PROBE_SIDE, PROBE_SIDE), dtype)
        small = probe[:1, :1].copy()
        block = numpy.zeros(PROBE_BYTES, numpy.uint8)
        with copies.lock, copies.device.entered():
            address = copies.allocate(PROBE_BYTES)
            try:
                there = _seconds(lambda: _there(copies, block, address))
                back = _seconds(lambda: copies.to_host(address, block))
            finally:
                copies.free(address)
        fixed = _seconds(lambda: multiply(small, small, (1, 1)))
        whole = _seconds(lambda: multiply(probe, probe, probe.shape))
    except (MachineError, *NO_WAY):
        return None
    bytes_back = probe.size * numpy.dtype(out_dtype(dtype)).itemsize
    on_the_way = 2 * probe.nbytes / PROBE_BYTES * there + bytes_back / PROBE_BYTES * back
    multiplying = max(whole - fixed - on_the_way, whole / 10)  # what is left of three measurements can be too little
    return Rates(
        host_gflops=host_gflops(dtype),
        gpu_gflops=2e-9 * PROBE_SIDE**3 / multiplying,
        there_gb_per_s=PROBE_BYTES * 1e-9 / there,
        back_gb_per_s=PROBE_BYTES * 1e-9 / back,
        fixed_seconds=fixed,
    )


def _there(copies: StagedCopies, block: Array, address: int) -> None:
    copies.to_gpu(block, address)
    copies.wait()


def _seconds(work: Callable[[], object]) -> float:
    """The shortest of three runs after one that does not count."""
    work()
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)


def _sent(array: Array, memory: Callable[[int], int], copies: StagedCopies) -> CudaArray:
    """An array on the GPU, its elements in the order in which they lie here."""
    block, strides = _block(array)
    address = memory(block.nbytes)
    copies.to_gpu(block, address)
    return CudaArray(address, array.shape, strides, array.dtype.name, FIRST_GPU, None)


def _block(array: Array) -> tuple[Array, Shape]:
    """All elements as one C-contiguous array, and the strides in it that the array then has; a copy only for gaps.

    What is repeated (stride 0) crosses once.
    """
    distinct = _distinct(array)
    order = sorted(range(array.ndim), key=lambda axis: -abs(distinct.strides[axis]) if distinct.shape[axis] > 1 else 0)
    block = numpy.ascontiguousarray(distinct.transpose(order))
    packed = packed_strides(block.shape)
    strides = tuple(
        0 if distinct.shape[axis] < array.shape[axis] else packed[order.index(axis)] for axis in range(array.ndim)
    )
    return block, strides


def _distinct(array: Array) -> Array:
    """The array without its repetitions: one element along each axis of stride 0."""
    walked = zip(array.strides, array.shape, strict=True)
    once: Array = array[tuple(slice(0, 1) if stride == 0 and extent > 1 else slice(None) for stride, extent in walked)]
    return once


def _packed(address: int, shape: Shape, dtype: str) -> CudaArray:
    return CudaArray(address, shape, packed_strides(shape), dtype, FIRST_GPU, None)
