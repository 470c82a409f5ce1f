"""What matmul, reduced_matmul and dot do with NumPy's arrays: which machine, and NumPy, a GPU or a kernel on it."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.arrays.errors import unmultipliable
from tilewright.arrays.host_array import in_type
from tilewright.arrays.numpy import as_operand, check_out, deliver, host_dtype, kernel_dtype
from tilewright.choose import PlanError
from tilewright.launch import kernel_machine

from . import trip
from .arguments import check_device, check_kernel, checked_tile
from .kernel_product import multiply_by_kernel
from .shapes import check_shapes

Array = NDArray[Any]

HOST_IDEAS = ("auto", "numpy", "sequential")


def machine_name(device: str, kernel: str = "auto") -> str:
    """The machine for a device: "auto" is the host for NumPy and the sequential kernels.

    A kernel that was asked for by name and does not run on the host runs on the GPU, or where none can be used on
    the emulator.

    Raises:
        PlanError: the device is unknown.
    """
    if check_device(device) != "auto":
        return device
    if kernel.rpartition("/")[2] in HOST_IDEAS:
        return "host"
    return kernel_machine()[0]


def runs_on_numpy(kernel: str, device: str) -> bool:
    """Whether NumPy computes it: on the host, where nothing else was asked for by name."""
    return device in {"auto", "host"} and kernel.rpartition("/")[2] in {"auto", "numpy"}


def multiply(operation: str, a: object, b: object, *, kernel: str, device: str, tile: object, out: object) -> Any:
    """What matmul, reduced_matmul and dot do with NumPy arrays; everything is checked before anything runs."""
    left, right = as_operand(a, "A"), as_operand(b, "B")
    shape = check_shapes(operation, left, right)
    tile = checked_tile(tile)
    machine = machine_name(device, check_kernel(operation, kernel, tile))
    if runs_on_numpy(kernel, machine):
        if tile is not None:
            raise PlanError(
                f"NumPy has no tile to set, so tile = {tile} cannot be used; leave it out or name a kernel."
            )
        dtype = host_dtype(operation, left, right)
        target = check_out(out, shape, dtype)
        if trip.may_go(operation, kernel, device, left, shape):
            c = trip.multiply_if_it_pays(in_type(left, dtype), in_type(right, dtype), shape)
            if c is not None:
                return deliver(c, target)
        x, y = (given if isinstance(given, numpy.ndarray) else array for given, array in ((a, left), (b, right)))
        return _on_numpy(operation, x, y, target)

    if trip.goes_as_asked(operation, kernel, machine, tile):
        left, right, dtype = trip.operands(left, right)
        target = check_out(out, shape, dtype)
        return deliver(trip.multiply(left, right, shape), target)

    dtype = kernel_dtype(operation, left, right)
    target = check_out(out, shape, dtype)
    c = multiply_by_kernel(operation, left, right, dtype.name, shape, machine, kernel, tile)
    return deliver(c, target)


def _on_numpy(operation: str, a: Array, b: Array, out: Array | None) -> Any:
    from tilewright.launch import host

    try:
        result = (host.matmul if operation == "matmul" else host.reduced_matmul)(a, b, out)
    except TypeError as error:
        if numpy.dtype(object) not in (a.dtype, b.dtype):
            raise
        raise unmultipliable(operation, a, b) from error  # their elements tell only when they are multiplied
    return deliver(result, out)
