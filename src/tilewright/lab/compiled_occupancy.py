"""Occupancy with the registers that the compiler takes for the chip, where it compiles for it."""

from __future__ import annotations

from tilewright.choose import DeviceFacts, Occupancy, occupancy
from tilewright.choose.occupancy.limits import NOT_GIVEN
from tilewright.compile import CompilerMissingError, resource_usage
from tilewright.kernels import TaughtKernel


def compiled_occupancy(
    kernel: str | TaughtKernel, device: str | DeviceFacts, *, tile: int | None = None, dtype: str = "float32"
) -> tuple[Occupancy, str]:
    """Return the occupancy and where its register count is from; where there is no count, the answer says why.

    Raises:
        UnknownChipError, UnknownKernelError, PlanError: as for `tilewright.occupancy`.
    """
    registers, unknown, origin = None, NOT_GIVEN, "unknown"
    try:
        usage = resource_usage(kernel, device, tile=tile, dtype=dtype)
        registers, origin = usage.registers_per_thread, f"compiled: {usage.compiler} for {usage.architecture}"
    except CompilerMissingError as error:
        unknown = str(error).rstrip(".")
    answer = occupancy(kernel, device, registers, tile=tile, dtype=dtype, registers_unknown=unknown)
    return answer, origin
