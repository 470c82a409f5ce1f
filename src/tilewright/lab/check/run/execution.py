"""Runs one kernel on the emulator: arguments in; arrays, counts and the fault out."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy
from numpy.typing import NDArray

from tilewright.emulate import Allocation, Counts, EmulationError, Emulator
from tilewright.emulate.faults import LaunchLimitError
from tilewright.emulate.machine.places import SharedArrays
from tilewright.emulate.observers import Observer
from tilewright.kernels.launch import Launch, TensorMap
from tilewright.kernels.launch import Pointer as PlannedPointer
from tilewright.launch.emulator import EmulatorRun

Array = NDArray[Any]
Extent = tuple[int, int, int]


@dataclass(frozen=True)
class Geometry:
    """The geometry of a launch: the grid in blocks, the block in threads (x, y, z), dynamic shared memory in bytes, the
    cluster in blocks.
    """

    grid: Extent
    block: Extent
    shared_bytes: int = 0
    cluster: Extent = (1, 1, 1)

    @property
    def threads(self) -> int:
        """The threads of the grid."""
        return int(numpy.prod(self.grid)) * int(numpy.prod(self.block))


MOST_BLOCKS = 1 << 20


def _refuse_too_many_blocks(geometry: Geometry) -> None:
    blocks = prod(geometry.grid)
    if blocks > MOST_BLOCKS:
        raise ValueError(f"a grid of {geometry.grid} has {blocks} blocks; at most {MOST_BLOCKS} are run.")


@dataclass(frozen=True)
class Pointer:
    """An argument that points to an array.

    shape: of the array, to name its elements. is_unset: whether its contents count as unwritten.
    """

    name: str
    array: Array
    shape: tuple[int, ...] = ()
    is_unset: bool = False


@dataclass(frozen=True)
class Maps:
    """An argument that is a struct of tensor maps. arrays: those that they describe."""

    maps: tuple[TensorMap, ...]
    arrays: tuple[Pointer, ...]


Argument = Pointer | Maps | int | float | bytes


def pointers_of(arguments: Sequence[Argument]) -> list[Pointer]:
    """Return every array that a launch is given, once."""
    behind = (each.arrays if isinstance(each, Maps) else (each,) for each in arguments)
    return list({each.name: each for some in behind for each in some if isinstance(each, Pointer)}.values())


def _planned(argument: Argument) -> Any:
    if isinstance(argument, Pointer):
        return PlannedPointer(argument.name)
    return argument.maps if isinstance(argument, Maps) else argument


@dataclass
class Outcome:
    """The outcome of a launch. arrays: the contents of every Pointer, by name. addresses: of these arrays.

    counts: None if the launch was stopped. fault: what stopped it. refusal: why it was not begun; is_impossible:
    because no GPU would take it.
    """

    arrays: dict[str, Array]
    counts: Counts | None = None
    fault: EmulationError | None = None
    refusal: str = ""
    is_impossible: bool = False
    output: list[str] = field(default_factory=list)
    addresses: dict[str, int] = field(default_factory=dict)


class Stand:
    """A compiled kernel, loaded once and run many times.

    entry: its name in the PTX. shared_arrays: type and shape of the known ones, to name their elements.
    """

    def __init__(self, ptx: str, entry: str, shared_arrays: SharedArrays | None = None) -> None:
        self.ptx, self.entry, self.shared_arrays = ptx, entry, shared_arrays
        self.emulator = Emulator(workers=1)  # launches are small: a second thread would cost more than it brings
        self.module = self.emulator.load(ptx)
        self._initial = {name: memory.data.copy() for name, memory in self.module.variables.items()}

    def reset(self) -> None:
        """Set the file's variables to what it initializes them with."""
        for name, data in self._initial.items():
            self.module.variables[name].data[:] = data

    def beside(self, entry: str) -> Stand:
        """Return another kernel of the same module."""
        other = copy(self)
        other.entry = entry
        return other

    @property
    def static_shared_bytes(self) -> int:
        """The size of the kernel's static shared memory, in bytes."""
        return self.module.code.functions[self.entry].shared_bytes

    def run(
        self,
        arguments: Sequence[Argument],
        geometry: Geometry,
        *,
        budget: int,
        observers: Sequence[Observer] = (),
        schedule_seed: int | None = None,
        completion: str | None = None,
    ) -> Outcome:
        """Launch and wait. budget: the most warp instructions. completion: as in EmulatorRun.run.

        Nothing is raised for a kernel's mistakes: the outcome holds the fault, or the refusal of a launch that no GPU
        would take or that has more blocks than any of the small sizes here can need.
        """
        pointers = pointers_of(arguments)
        allocations = {pointer.name: self._allocate(pointer) for pointer in pointers}
        passed: dict[str, Any] = {str(place): _planned(each) for place, each in enumerate(arguments)}
        launch = Launch(
            self.entry,
            (),
            geometry.grid,
            geometry.block,
            passed,
            cluster=geometry.cluster,
            shared_bytes=geometry.shared_bytes,
        )
        loaded = EmulatorRun(self.emulator, [launch], [self.module], list(allocations), self.shared_arrays)
        outcome = Outcome({})
        try:
            _refuse_too_many_blocks(geometry)
            record = loaded.run(
                [memory.address for memory in allocations.values()],
                observers=list(observers),
                budget=budget,
                schedule=schedule_seed,
                completion=completion,
            )
            outcome.counts, outcome.output = record.counts, list(record.output)
        except EmulationError as error:
            outcome.fault, outcome.output = error.with_traceback(None), error.output  # its frames hold all memory
        except ValueError as error:
            outcome.refusal, outcome.is_impossible = str(error), isinstance(error, LaunchLimitError)
        for pointer in pointers:
            memory = allocations[pointer.name]
            outcome.addresses[pointer.name] = memory.address
            outcome.arrays[pointer.name] = memory.read(pointer.array.dtype, pointer.array.shape)
            memory.free()
        return outcome

    def _allocate(self, pointer: Pointer) -> Allocation:
        array = pointer.array
        memory = self.emulator.allocate(
            array.nbytes, pointer.name, dtype=array.dtype, shape=pointer.shape or array.shape
        )
        memory.write(pointer.array)
        if pointer.is_unset:
            memory.set_written(numpy.zeros(array.nbytes, numpy.uint8))
        return memory
