"""Launches a case on the emulator, and holds its results against NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy

from tests.lab.planted.manifest import PlantedCase
from tests.lab.planted.operations import Wrong
from tilewright.emulate import Allocation, EmulationError, Emulator, instruction_row
from tilewright.emulate.execute import events
from tilewright.emulate.observers import EventRecorder, Observer

BUDGET = 300_000
"""Warp instructions: several times what the longest of these launches needs, so that an endless one ends soon."""


class Launched:
    """A case in an emulator of its own, with its arrays."""

    def __init__(self, case: PlantedCase, ptx: str, seed: int = 0) -> None:
        self.case, self.seed = case, seed
        self.emulator = Emulator(workers=1)
        self.module = self.emulator.load(ptx)
        self.given = case.operation.inputs(case.sizes, case.dtype, numpy.random.default_rng(seed))
        self.shapes = case.operation.arrays(case.sizes)
        for name in case.operation.variables:
            self.emulator.set_variable(self.module, name, self.given[name])
        self.buffers = {name: self._allocated(name) for name in self.shapes if name not in case.operation.variables}

    def _allocated(self, name: str) -> Allocation:
        shape, dtype = self.shapes[name], self.case.operation.dtype(name, self.case.dtype)
        buffer = self.emulator.allocate(prod(shape) * dtype.itemsize, name, dtype=dtype, shape=shape)
        if name in self.given:
            buffer.write(self.given[name])
        return buffer

    def launch(self, watching: Sequence[Observer] = (), schedule: str = "round_robin") -> EmulationError | None:
        """Launch once; return the fault that stopped it, if one did."""
        try:
            self.emulator.launch(
                self.module,
                self.case.symbol,
                grid=self.case.grid,
                block=self.case.block,
                arguments=[self.buffers.get(name, self.case.sizes.get(name)) for name in self.case.arguments],
                dynamic_shared_bytes=self.case.shared_bytes,
                schedule=schedule,
                seed=self.seed,
                instruction_budget=BUDGET,
                observers=watching,
            )
        except EmulationError as fault:
            return fault
        return None

    def first_wrong(self) -> Wrong | None:
        """Return the first element that is not NumPy's."""
        operation = self.case.operation
        got = {
            name: buffer.read(operation.dtype(name, self.case.dtype), self.shapes[name])
            for name, buffer in self.buffers.items()
        }
        return operation.first_wrong(got, self.given, self.case.sizes)

    def lines_that_wrote(self, wrong: Wrong, stores: EventRecorder) -> frozenset[int]:
        """Return the line that wrote an element last; if none did, those that write to its array at all."""
        buffer = self.buffers[wrong.name]
        nbytes = self.case.operation.dtype(wrong.name, self.case.dtype).itemsize
        writers = _writers(stores, buffer.address + wrong.index * nbytes, nbytes)[-1:]
        code = self.module.code
        rows = writers or _writers(stores, buffer.address, buffer.nbytes)
        return frozenset(code.lines[code.rows[pc][instruction_row.LINE]][1] for pc in rows)


def _writers(stores: EventRecorder, address: int, nbytes: int) -> list[int]:
    """Return the instructions that stored into some bytes, in order of time."""
    assert stores.dropped == 0
    rows = stores.rows
    first = rows[:, events.ADDRESSES : events.ADDRESSES + 32]
    last = first + rows[:, [events.NBYTES]]
    is_active = (rows[:, [events.LANES]] >> numpy.arange(32)) & 1 == 1
    touches = (is_active & (first < address + nbytes) & (last > address)).any(axis=1)
    return [int(pc) for pc in rows[touches, events.PC]]
