"""The resources of a compiled kernel on a chip: registers, local memory, shared memory."""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.choose.occupancy.launched import device_named, kernel_named
from tilewright.compile.cubin import resources_in
from tilewright.compile.nvrtc import CompilerMissingError, nvrtc_version, supported_architectures
from tilewright.compile.program import compile_kernel
from tilewright.kernels import TaughtKernel
from tilewright.kernels.facts import DeviceFacts


@dataclass(frozen=True)
class ResourceUsage:
    """The resources of a compiled kernel, as its cubin states them.

    ``local_bytes_per_thread`` are arrays that did not fit registers, spilled registers and call frames. ``compiler``
    and ``architecture`` say who counted: another version may take other registers.
    """

    registers_per_thread: int
    local_bytes_per_thread: int
    architecture: str
    compiler: str


def resource_usage(
    kernel: str | TaughtKernel, device: str | DeviceFacts, *, tile: int | None = None, dtype: str = "float32"
) -> ResourceUsage:
    """Compile a kernel of the catalogue for a chip and return its resources. No device is needed.

    Args:
        kernel: the kernel, or its name ("matmul/tiled").
        device: a chip of the table by name ("h200"), or facts with a compute capability.
        tile: the tile; None: the kernel's default.
        dtype: the element type.

    Raises:
        CompilerMissingError: there is no NVRTC, or it does not compile for the chip.
        UnknownChipError, UnknownKernelError, PlanError: as for `occupancy`.
    """
    facts = device_named(device)
    found, tile = kernel_named(kernel, tile, dtype)
    architecture = cubin_architecture(facts)
    program = compile_kernel(found, dtype, tile, architecture=architecture)
    assert program.cubin is not None
    taken = resources_in(program.cubin)[program.entry]
    return ResourceUsage(taken.registers_per_thread, taken.local_bytes_per_thread, architecture, compiler_name())


def cubin_architecture(facts: DeviceFacts) -> str:
    """Return what NVRTC calls a chip, such as ``sm_90``.

    Raises:
        CompilerMissingError: there is no NVRTC, or it does not compile for the chip; the message says for which.
    """
    if facts.compute_capability is None:
        raise CompilerMissingError(f"{facts.name} has no compute capability to compile for.")
    major, minor = facts.compute_capability
    supported = supported_architectures()
    if 10 * major + minor not in supported:
        oldest, newest = min(supported), max(supported)
        raise CompilerMissingError(
            f"{compiler_name()} compiles for sm_{oldest} to sm_{newest}, not for sm_{major}{minor} ({facts.name})."
        )
    return f"sm_{major}{minor}"


def compiler_name() -> str:
    """Return the compiler and its version, such as "NVRTC 13.0"."""
    major, minor = nvrtc_version()
    return f"NVRTC {major}.{minor}"
