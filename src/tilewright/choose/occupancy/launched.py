"""The arguments of `occupancy` and `roofline`: a kernel of the catalogue by name, a device by name or as facts."""

from __future__ import annotations

from tilewright.choose.chips import find_chip, with_architecture
from tilewright.kernels.catalogue import find_taught
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.refusals import PlanError
from tilewright.kernels.taught import TaughtKernel


def kernel_named(kernel: str | TaughtKernel, tile: int | None, dtype: str) -> tuple[TaughtKernel, int | None]:
    """Return a GPU kernel and its tile: the one given, else its default, or None for a kernel without tiles.

    Raises:
        UnknownKernelError: the catalogue has no such kernel.
        PlanError: the name lacks its operation, or the kernel runs on the host or takes no such tile or type.
    """
    if isinstance(kernel, str):
        operation, _, idea = kernel.rpartition("/")
        if not operation:
            raise PlanError(f"{kernel!r} names no kernel; write it as in matmul/tiled.")
        kernel = find_taught(operation, idea)
    if "gpu" not in kernel.runs_on:
        raise PlanError(f"{kernel.name} runs on the {' or '.join(sorted(kernel.runs_on))}, so no GPU holds its blocks.")
    refusal = kernel.variant_refusal(tile, dtype)
    if refusal is not None:
        raise PlanError(refusal)
    return kernel, kernel.tile.default if kernel.tile is not None and tile is None else tile


def device_named(device: str | DeviceFacts) -> DeviceFacts:
    """Return the facts of a chip of the table, or the given facts with missing fields filled in.

    Raises:
        UnknownChipError: the table has no such chip; the message lists the names.
    """
    return find_chip(device) if isinstance(device, str) else with_architecture(device)
