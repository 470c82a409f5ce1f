"""What every machine can do: say its facts, hold memory, copy in, launch, copy out, and time each of these apart.

The pipeline (`tilewright.call.pipeline`) speaks only this protocol, so the same few lines run a kernel on a GPU, on the
emulator and, for the sequential twins and NumPy, on the host.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tilewright.choose import DeviceFacts, Plan
    from tilewright.compile import Program

Array = NDArray[Any]
Progress = Callable[[int, int], None]

MACHINES = ("gpu", "emulator", "host")


class DeviceUnavailableError(RuntimeError):
    """The machine that was asked for cannot be used here; the message says what is missing and what to install."""


class MachineError(RuntimeError):
    """A machine refused or failed an operation; the message names the operation and what the driver said."""


class OutOfMemoryError(MachineError):
    """A machine has not the memory that was asked for; smaller matrices may fit."""


class Buffer(Protocol):
    """Memory of a machine that holds one matrix or vector."""

    @property
    def nbytes(self) -> int:
        """Its size."""
        ...

    @property
    def name(self) -> str:
        """What errors and faults call it."""
        ...


@dataclass(frozen=True)
class LaunchRecord:
    """What one launch left behind.

    kernel_seconds: on the GPU between two events, on the emulator and the host by the wall clock.
    counts: what the emulator counted (`tilewright.emulate.Counts`); None where nothing counts.
    lines: the same counts per (file, line) of the kernel's source.
    output: what the kernel printed, a string a line.
    """

    kernel_seconds: float
    counts: Any = None
    lines: Mapping[tuple[str, int], Any] = field(default_factory=dict)
    output: tuple[str, ...] = ()


class Machine(Protocol):
    """A place where a plan can run. Every method checks its errors and raises MachineError or a subclass.

    progress: called now and then with (done, all) blocks while a kernel runs, where the machine knows.
    """

    progress: Progress | None

    @property
    def name(self) -> str:
        """One of MACHINES."""

    @property
    def architecture(self) -> str | None:
        """What to compile for: `sm_90` (a cubin), `compute_90` (PTX), or None where nothing is compiled."""

    def facts(self) -> DeviceFacts:
        """Limits and sizes, for planning."""

    def room_bytes(self) -> int | None:
        """What can still be allocated; None where only trying tells."""

    def allocate(self, nbytes: int, name: str) -> Any:
        """A buffer of nbytes (at least 1); `name` is what a fault calls it."""

    def copy_in(self, buffer: Any, array: Array) -> float:
        """Copy a C-contiguous array into a buffer of its size; seconds taken."""

    def launch(self, program: Program | None, plan: Plan, arguments: Sequence[Any]) -> LaunchRecord:
        """Run the plan's kernel on buffers and integers, in the order of its parameters, and wait for its end."""

    def copy_out(self, buffer: Any, array: Array) -> float:
        """Copy a buffer into a writable C-contiguous array of its size; seconds taken."""

    def free(self, buffer: Any) -> None:
        """Give the buffer back; using it afterwards is an error."""


def check_copy(buffer: Buffer, array: Array, *, into_array: bool) -> None:
    """Refuse a copy whose sizes differ or whose array is not one run of memory: it would touch what is not its own."""
    if array.nbytes != buffer.nbytes:
        raise MachineError(f"{buffer.name} holds {buffer.nbytes} bytes, but the array has {array.nbytes}.")
    if not array.flags.c_contiguous or not array.dtype.isnative:
        raise MachineError(f"{buffer.name} needs a C-contiguous array in the machine's byte order.")
    if into_array and not array.flags.writeable:
        raise MachineError(f"{buffer.name} cannot be copied into a read-only array.")


def as_kernel_integer(value: int) -> numpy.int32:
    """A size as the kernels take it: `int`, 32 bits."""
    if not -(2**31) <= value < 2**31:
        raise MachineError(f"The kernels take sizes as 32-bit integers, and {value} does not fit.")
    return numpy.int32(value)
