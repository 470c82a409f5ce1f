"""What every machine can do: say its facts, load a plan and run it, hold memory, and copy there and back.

Whoever has arrays of the host speaks only this protocol, so the same few lines run a kernel on a GPU, on the emulator
and, for the sequential twins and NumPy, on the host.
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

    @property
    def address(self) -> int:
        """Where it begins."""
        ...


@dataclass(frozen=True)
class Record:
    """What a run left behind.

    kernel_seconds: on the GPU between two events, on the emulator and the host by the wall clock; NaN where nobody
    waited for the end. counts: what the emulator counted (`tilewright.emulate.Counts`); None where nothing counts.
    output: what the kernel printed, a string a line. count_lines: gives `lines`.
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
            stream: the GPU's stream, which may still be at work when this returns; the other machines have none.
            observers: told of every event (`tilewright.emulate.observers`); the emulator's alone.
            budget: the most warp instructions of each launch on the emulator; None: any number.
            schedule: the seed of a random order of warps on the emulator; None: one after the other.
        """


class Machine(Protocol):
    """A place where plans run, and its memory. Every method raises MachineError or a subclass for what fails."""

    @property
    def name(self) -> str:
        """One of MACHINES."""

    def facts(self) -> DeviceFacts:
        """What planning needs to know; on the GPU this asks the driver."""

    def load(self, plan: Plan) -> Run:
        """Compile and load a plan's kernels. Raises CompileError or CompilerMissingError where that cannot be done."""

    def timed(self, run: Run, addresses: Sequence[int], progress: Progress | None = None) -> Record:
        """Run once, and wait for the end. progress: told now and then of (done, all) blocks, where that is known."""

    def room_bytes(self) -> int | None:
        """How many bytes may still be allocated; None where only trying tells."""

    def allocate(self, nbytes: int, name: str) -> Buffer:
        """Memory for one matrix or vector; its contents are not set."""

    def copy_in(self, buffer: Any, array: Array) -> float:
        """Copy a C-contiguous array into a buffer of its size; seconds taken."""

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
