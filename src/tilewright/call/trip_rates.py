"""Whether host arrays gain by going to a GPU and back, by the rates of this machine, which are measured once."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.cuda_array import Shape
from tilewright.arrays.host_array import in_type
from tilewright.choose.trip import LEAST_FLOPS, LEAST_HOST_SECONDS, Rates, Verdict, judge
from tilewright.kernels.operand import DTYPE_BYTES
from tilewright.launch import MachineError, OutOfMemoryError, driver_report
from tilewright.launch.cuda.staging import StagedCopies, staged_copies

from .trip import FIRST_GPU, NO_WAY, multiply, out_dtype, unrepeated

Array = NDArray[Any]

PROBE_SIDE = 1024
PROBE_BYTES = 64 * 2**20


def multiply_if_it_pays(
    a: Array, b: Array, dtype: numpy.dtype[Any], shape: Shape, precision: str = "auto"
) -> Array | None:
    """The product on a GPU, computed in a type, or None if the host should compute it."""
    if flops(a, shape) < LEAST_FLOPS:
        return None
    left, right = (in_type(array.view(numpy.ndarray), dtype) for array in (a, b))
    found = verdict(left, right, shape)
    if found is None or not found.goes:
        return None
    try:
        return multiply(left, right, shape, precision)
    except (OutOfMemoryError, *NO_WAY):
        return None  # more than the GPU holds, or than one plan takes; or this is a child of the process that has it


def verdict(a: Array, b: Array, shape: Shape) -> Verdict | None:
    """Whether A and B go to the GPU and back, and why; None without a GPU, or if it cannot pay."""
    work, dtype = flops(a, shape), a.dtype.name
    if work < LEAST_FLOPS or dtype not in DTYPE_BYTES or b.dtype != a.dtype or driver_report().problem is not None:
        return None
    if work < LEAST_HOST_SECONDS * host_gflops(dtype) * 1e9:
        return None
    rates = measured_rates(dtype)
    there = sum(unrepeated(array).nbytes for array in (a, b))
    back = prod(shape) * numpy.dtype(out_dtype(dtype)).itemsize
    return None if rates is None else judge(work, there, back, rates)


def flops(a: Array, shape: Shape) -> int:
    """The number of operations of a product of this shape."""
    return 2 * prod(shape) * int(a.shape[-1])


@cache
def host_gflops(dtype: str) -> float:
    """NumPy's rate on this host in GFLOP/s, in the type in which it computes `dtype`; measured once per process."""
    a = numpy.ones((PROBE_SIDE, PROBE_SIDE), out_dtype(dtype))
    return 2e-9 * PROBE_SIDE**3 / _seconds(lambda: numpy.matmul(a, a))


@cache
def measured_rates(dtype: str) -> Rates | None:
    """The rates of this host, its first GPU and the copies, measured once per process; None without a GPU."""
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
    """The shortest time of three runs after a warm-up, in seconds."""
    work()
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)
