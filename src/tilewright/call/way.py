"""The kernel and machine that multiply host arrays: kernel, device and tile are checked together, once."""

from __future__ import annotations

from typing import NamedTuple

from tilewright.choose import PlanError
from tilewright.choose.choice import precision_refusal
from tilewright.choose.plan import Tile
from tilewright.launch import kernel_machine

from .arguments import check_device, check_kernel, check_precision, checked_tile

HOST_IDEAS = ("auto", "numpy", "sequential")


class Way(NamedTuple):
    """A kernel on a machine.

    by_numpy: NumPy computes it on the host. to_gpu: the GPU was asked for, so the arrays go there and back. is_free:
    nothing was asked for by name, so that a matrix product may go to the GPU if that pays. precision: float32's.
    """

    kernel: str
    machine: str
    tile: Tile | None
    by_numpy: bool
    to_gpu: bool
    is_free: bool
    precision: str = "auto"


NOT_ASKED = Way("auto", "host", None, by_numpy=True, to_gpu=False, is_free=True)


def check_way(operation: str, kernel: object, device: object, tile: object, precision: object = "auto") -> Way:
    """The kernel and machine for an operation on host arrays.

    Raises:
        PlanError: kernel, device, tile or precision is of a wrong type or unknown, or the kernel takes no such tile;
            or the host does not multiply so.
        UnknownKernelError: the operation has no such kernel.
    """
    if tile is None and all(type(name) is str and name == "auto" for name in (kernel, device, precision)):
        return NOT_ASKED
    sides = checked_tile(tile)
    name = check_kernel(operation, kernel, sides)
    machine, idea = machine_name(device, name), name.rpartition("/")[2]
    how = check_precision(precision)
    refused = precision_refusal("The host", how) if machine == "host" else None
    if refused is not None:
        raise PlanError(refused)
    return Way(
        name,
        machine,
        sides,
        by_numpy=machine == "host" and idea in {"auto", "numpy"},
        to_gpu=operation == "matmul" and machine == "gpu" and idea == "auto" and sides is None,
        is_free=device == "auto" and idea == "auto",
        precision=how,
    )


def machine_name(device: object, kernel: str = "auto") -> str:
    """The machine for a device: "auto" is the host for NumPy and the sequential kernels.

    A kernel that was asked for by name and does not run on the host runs on the GPU, or else on the emulator.

    Raises:
        PlanError: the device is unknown.
    """
    name = check_device(device)
    if name != "auto":
        return name
    return "host" if kernel.rpartition("/")[2] in HOST_IDEAS else kernel_machine()[0]
