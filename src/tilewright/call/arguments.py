"""Checks of the arguments other than arrays: kernel, device and tile."""

from __future__ import annotations

import operator

import numpy

from tilewright.arrays.errors import described
from tilewright.choose import PlanError, named_kernel
from tilewright.choose.plan import Tile
from tilewright.kernels import TaughtKernel, find_operation
from tilewright.kernels.precision import PRECISIONS, precision_of
from tilewright.launch import MACHINES

DEVICES = ("auto", *MACHINES)


def check_operation(operation: object) -> str:
    """The operation's name. Raises PlanError for anything but one of the operations."""
    if not isinstance(operation, str):
        raise PlanError(f"operation is {described(operation)}, and a name such as 'matmul' is accepted.")
    return find_operation(operation).name


def check_device(device: object) -> str:
    """The device's name. Raises PlanError for anything but one of DEVICES."""
    if not isinstance(device, str):
        raise PlanError(f"device is {described(device)}, and one of {', '.join(DEVICES)} is accepted.")
    if device not in DEVICES:
        raise PlanError(f"There is no device {device!r}; there are {', '.join(DEVICES)}.")
    return device


def check_precision(precision: object) -> str:
    """The precision's name. Raises PlanError for anything but one of PRECISIONS."""
    if not isinstance(precision, str):
        raise PlanError(f"precision is {described(precision)}, and a name such as 'auto' or 'tf32' is accepted.")
    if precision not in PRECISIONS:
        precision_of("float32", precision)  # says what is accepted
    return precision


def check_tile(tile: object) -> int | None:
    """The tile as Python's own integer, or None.

    Raises:
        PlanError: it is not a whole number: text, a float (even 4.0), a bool.
    """
    if tile is None:
        return None
    try:
        if not isinstance(tile, bool | numpy.bool_):
            return operator.index(tile)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise PlanError(f"tile is {described(tile)}, and a whole number or None is accepted.")


def checked_tile(tile: object) -> Tile | None:
    """A kernel's tile: one side, or (rows, columns). Raises PlanError for anything else."""
    if tile is None:
        return None
    if isinstance(tile, tuple | list):
        sides = [check_tile(side) for side in tile]
        if len(sides) == 2 and None not in sides:
            return (int(sides[0] or 0), int(sides[1] or 0))
        raise PlanError(f"tile is {tile!r}, and one whole number, a pair of them (rows, columns) or None is accepted.")
    return check_tile(tile)


def check_size(size: object) -> tuple[int, int, int]:
    """m, n and k as Python's own integers.

    Raises:
        PlanError: they are not three whole numbers.
    """
    try:
        m, n, k = map(operator.index, size)  # type: ignore[call-overload]
    except (TypeError, ValueError) as error:
        raise PlanError(f"size is {size!r}, and three whole numbers (m, n, k) are accepted.") from error
    return m, n, k


def is_exact(tile: object) -> bool:
    """Whether a tile consists of Python integers. Others may compare equal but are refused: 4.0 == 4, True == 1."""
    if type(tile) is tuple:
        return all(type(side) is int for side in tile)
    return tile is None or type(tile) is int


def check_kernel_name(kernel: object) -> str:
    """The kernel's name, known or not. Raises PlanError if it is not a string."""
    if not isinstance(kernel, str):
        raise PlanError(f"kernel is {described(kernel)}, and a name such as 'tiled' or 'matmul/tiled' is accepted.")
    return kernel


def check_kernel(operation: str, kernel: object, tile: Tile | None = None) -> str:
    """The kernel's name, for one of the operation's kernels with a tile that it takes.

    Raises:
        PlanError: it is not a string, or the kernel takes no such tile.
        UnknownKernelError: the operation has no such kernel.
    """
    name = check_kernel_name(kernel)
    found = named_kernel(operation, name)
    refusal = found.variant_refusal(tile, "float32") if isinstance(found, TaughtKernel) else None
    if refusal is not None:
        raise PlanError(refusal)
    return name
