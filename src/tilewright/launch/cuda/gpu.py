"""Messages about a GPU that cannot be used, or a call that the driver refuses. Importing this imports no CUDA."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tilewright.launch.machine import DeviceUnavailableError, MachineError, OutOfMemoryError

from .driver import driver_report

FIRST_RELEASE = {12: "525.60", 13: "580.65"}
"""The oldest driver release for each major version of CUDA, as NVIDIA's release notes state it."""


def advice() -> str:
    """Which extra to install for the driver at hand."""
    version = driver_report().cuda_version
    if version is None:
        return (
            "on a machine with an NVIDIA GPU install its driver and tilewright[cuda13] "
            f"(driver {FIRST_RELEASE[13]} or newer) or tilewright[cuda12] (driver {FIRST_RELEASE[12]} or newer)"
        )
    if version[0] < 12:
        return f'update the driver to {FIRST_RELEASE[12]} or newer, then: pip install "tilewright[cuda12]"'
    return f'pip install "tilewright[cuda{min(version[0], 13)}]"'


@contextmanager
def said_by_cuda(what: str) -> Iterator[None]:
    """A context that turns CUDA's errors into one sentence that names the failed operation."""
    try:
        yield
    except (DeviceUnavailableError, MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        hint, kind = "", MachineError
        if "OUT_OF_MEMORY" in said:
            hint, kind = "; the device has not enough free memory for these matrices", OutOfMemoryError
        elif any(name in said for name in ("INVALID_IMAGE", "NO_BINARY_FOR_GPU", "UNSUPPORTED_PTX_VERSION")):
            hint = f"; the driver cannot load what this NVRTC compiles: {advice()}"
        raise kind(f"{what[0].upper()}{what[1:]} failed: {said}{hint}.") from error


def gpu_at_hand() -> tuple[str, str]:
    """The name of the first GPU that the driver lists and what to compile for it, without opening it.

    Raises DeviceUnavailableError where there is none, or a package that it needs is missing.
    """
    report = driver_report()
    if report.problem is not None:
        raise DeviceUnavailableError(f"There is no GPU to use: {report.problem}; {advice()}.")
    import_driver()
    first = report.gpus[0]
    return first.name, architecture_for(first.name, first.compute_capability)


def import_driver() -> Any:
    """The driver's own calls. Raises DeviceUnavailableError where their package is not installed."""
    try:
        from cuda.bindings import driver
    except ImportError as error:
        raise DeviceUnavailableError(f"cuda.bindings cannot be imported ({error}); {advice()}.") from error
    return driver


def architecture_for(name: str, capability: tuple[int, ...]) -> str:
    """The architecture for NVRTC. Refuses a driver older than NVRTC, and a GPU that NVRTC has dropped."""
    number = capability[0] * 10 + capability[1]
    nvrtc = _nvrtc()
    if nvrtc is None:
        return "compute_90" if number >= 90 else f"sm_{number}"  # the package's PTX, which the driver compiles
    version, supported = nvrtc
    driver = driver_report().cuda_version
    if driver is not None and version[0] > driver[0]:
        raise DeviceUnavailableError(
            f"The NVIDIA driver supports CUDA {driver[0]}.{driver[1]}, but NVRTC {version[0]}.{version[1]} is "
            f"installed, whose code this driver cannot load; {advice()}, or update the driver to "
            f"{FIRST_RELEASE.get(version[0], 'a newer release')} or newer."
        )
    if number in supported or not supported:
        return f"sm_{number}"
    if number < min(supported):
        raise DeviceUnavailableError(
            f"NVRTC {version[0]}.{version[1]} makes no code for {name} (compute capability "
            f'{capability[0]}.{capability[1]}); an older NVRTC does: pip install "tilewright[cuda12]".'
        )
    return f"compute_{max(known for known in supported if known < number)}"


def _nvrtc() -> tuple[tuple[int, int], tuple[int, ...]] | None:
    """The installed NVRTC's version and the architectures that it compiles for; None when there is none."""
    from tilewright.compile import CompilerMissingError, nvrtc_version

    try:
        version = nvrtc_version()
    except CompilerMissingError:
        return None
    from cuda.bindings import nvrtc

    status, architectures = nvrtc.nvrtcGetSupportedArchs()
    return version, tuple(int(number) for number in architectures) if int(status) == 0 else ()
