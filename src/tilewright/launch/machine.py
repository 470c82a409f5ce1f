"""The protocol of machines: facts, loading and running a plan, memory, and copies to and from the host.

Callers with host arrays use only this protocol, so the same code runs a kernel on a GPU, on the emulator and, for the
sequential twins and NumPy, on the host.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any, Protocol

from numpy.typing import NDArray

if TYPE_CHECKING:
    from tilewright.choose import DeviceFacts, Plan

Array = NDArray[Any]
Progress = Callable[[int, int], None]

MACHINES = ("gpu", "emulator", "host")


class DeviceUnavailableError(RuntimeError):
    """The machine that was asked for cannot be used here; the message says what is missing and what to install."""


class MachineError(RuntimeError):
    """A machine refused or failed an operation; the message names the operation and quotes the driver."""


class OutOfMemoryError(MachineError):
    """A machine does not have the requested memory; smaller matrices may fit."""


class Buffer(Protocol):
    """Memory of a machine that holds one matrix or vector."""

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        ...

    @property
    def name(self) -> str:
        """The name in errors and faults."""
        ...

    @property
    def address(self) -> int:
        """The address of its first byte."""
        ...


@dataclass(frozen=True)
class Record:
    """The record of a run.

    kernel_seconds: on the GPU between two events, on the emulator and the host by the wall clock; NaN for an
    asynchronous run. counts: the emulator's (`tilewright.emulate.Counts`); None on other machines. output: the lines
    that the kernel printed. count_lines: returns `lines`.
    """

    kernel_seconds: float = nan
    counts: Any = None
    output: tuple[str, ...] = ()
    count_lines: Callable[[], Mapping[tuple[str, int], Any]] = dict

    @cached_property
    def lines(self) -> Mapping[tuple[str, int], Any]:
        """The same counts per (file, line) of the kernel's source."""
        return self.count_lines()


class Run(Protocol):
    """A plan on a machine, compiled and loaded, to be run as often as wanted."""

    def run(
        self,
        addresses: Sequence[int],
        stream: int = 0,
        *,
        observers: Sequence[Any] = (),
        budget: int | None = None,
        schedule: int | None = None,
    ) -> Record:
        """Run the launches in order.

        Args:
            addresses: of each of `tilewright.kernels.launch.BUFFERS`, in that order; 0 for one that the plan lacks.
            stream: the GPU's stream; the run is asynchronous. The other machines have none.
            observers: called for every event (`tilewright.emulate.observers`), on the emulator only.
            budget: the most warp instructions of each launch on the emulator; None for no limit.
            schedule: the seed of a random order of warps on the emulator; None for round robin.
        """


class Machine(Protocol):
    """A place where plans run, and its memory. Every method raises MachineError or a subclass for what fails."""

    @property
    def name(self) -> str:
        """One of MACHINES."""

    def facts(self) -> DeviceFacts:
        """The facts for planning; on the GPU this queries the driver."""

    def load(self, plan: Plan) -> Run:
        """Compile and load a plan's kernels. Raises CompileError or CompilerMissingError if that fails."""

    def timed(self, run: Run, addresses: Sequence[int], progress: Progress | None = None) -> Record:
        """Run once and wait for the end. progress: called from time to time with (done, all) blocks, if known."""

    def room_bytes(self) -> int | None:
        """The bytes that can still be allocated; None if unknown."""

    def allocate(self, nbytes: int, name: str) -> Buffer:
        """Allocate uninitialized memory for one matrix or vector."""

    def copy_in(self, buffer: Any, array: Array) -> float:
        """Copy a C-contiguous array into a buffer of its size; return the seconds taken."""

    def copy_out(self, buffer: Any, array: Array) -> float:
        """Copy a buffer into a writable C-contiguous array of its size; return the seconds taken."""

    def free(self, buffer: Any) -> None:
        """Free the buffer; using it afterwards is an error."""


def check_copy(buffer: Buffer, array: Array, *, into_array: bool) -> None:
    """Refuse a copy if the sizes differ or the array is not contiguous, since it would access foreign memory."""
    if array.nbytes != buffer.nbytes:
        raise MachineError(f"{buffer.name} holds {buffer.nbytes} bytes, but the array has {array.nbytes}.")
    if not array.flags.c_contiguous or not array.dtype.isnative:
        raise MachineError(f"{buffer.name} needs a C-contiguous array in the machine's byte order.")
    if into_array and not array.flags.writeable:
        raise MachineError(f"{buffer.name} cannot be copied into a read-only array.")
