"""Machines that run a plan: `gpu`, `emulator` and `host`, behind one protocol."""

from __future__ import annotations

from functools import lru_cache

from tilewright.kernels.facts import EMULATOR_FACTS, HOST_FACTS, DeviceFacts
from tilewright.kernels.renamed import renamed

from .cuda.driver import DriverReport, Gpu, driver_report
from .machine import (
    MACHINES,
    Buffer,
    DeviceUnavailableError,
    Machine,
    MachineError,
    OutOfMemoryError,
    Progress,
    Record,
    Run,
)


@lru_cache(maxsize=len(MACHINES))
def open_machine(name: str) -> Machine:
    """The machine of that name, opened once per process.

    Raises DeviceUnavailableError when it cannot be used here, ValueError for an unknown name.
    """
    if name == "host":
        from .host import HostMachine

        return HostMachine()
    if name == "emulator":
        from .emulator import EmulatorMachine

        return EmulatorMachine()
    if name == "gpu":
        from .cuda.machine import CudaMachine

        return CudaMachine()
    raise ValueError(f"the device {name!r} is unknown: use {', '.join(MACHINES)}")


def facts_of(machine: str) -> DeviceFacts:
    """Return the facts of a machine that planning needs. Only the GPU has to be opened for them."""
    known = {"host": HOST_FACTS, "emulator": EMULATOR_FACTS}
    return known[machine] if machine in known else open_machine(machine).facts()


@lru_cache(maxsize=1)
def kernel_machine() -> tuple[str, str | None]:
    """The default machine for compiled kernels: ("gpu", None), or ("emulator", why a present GPU is not used).

    Cheap without a GPU: no CUDA package is imported then, and the reason is None.
    """
    if driver_report().problem is not None:
        return "emulator", None
    try:
        open_machine("gpu")
    except DeviceUnavailableError as error:
        return "emulator", str(error)
    return "gpu", None


__getattr__ = renamed(__name__, {"LaunchRecord": "tilewright.launch.machine.Record"})
