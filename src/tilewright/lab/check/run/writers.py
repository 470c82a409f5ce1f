"""Finds the thread that wrote an element last, by repeating the launch with every store recorded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.provenance import extents_of_accesses
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.observers.observer import EventRecorder

from .execution import Extent, Geometry

MOST_STORES = 60_000
STORES = (op.STORE_GLOBAL, op.STORE_GENERIC, op.ATOMIC, op.HALF_ATOMIC)


@dataclass(frozen=True)
class Writer:
    """A thread, and the line where it wrote."""

    block: Extent
    thread: Extent
    line: int


class StoreRecorder(EventRecorder):
    """Records stores and atomics to global memory, with their lines."""

    def __init__(self) -> None:
        super().__init__(MOST_STORES, ev.mask(ev.STORE, ev.ATOMIC), ev.mask(GLOBAL))

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Make room."""
        self.launch, self.places = launch, launch.places
        return super().begin(launch, worker)


def last_writer(recorder: StoreRecorder, geometry: Geometry, address: int) -> Writer | None:
    """Return the last writer of an address, or None."""
    rows = recorder.rows
    first = rows[:, ev.ADDRESSES : ev.ADDRESSES + 32]
    active = (rows[:, [ev.LANES]] >> numpy.arange(32)) & 1 == 1
    hits = active & (first <= address) & (address < first + rows[:, [ev.NBYTES]])
    found = numpy.flatnonzero(hits.any(axis=1))
    if not len(found):
        return None
    last = rows[found[-1]]
    lane = int(numpy.flatnonzero(hits[found[-1]])[-1])
    _, line = recorder.places.line_of(int(last[ev.PC]))
    thread = int(last[ev.WARP_IN_BLOCK]) * 32 + lane
    return Writer(_place(int(last[ev.BLOCK]), geometry.grid), _place(thread, geometry.block), line or 0)


def writing_line(recorder: StoreRecorder, first: int) -> int:
    """Return the line that writes the most elements of an array, or would if it were reached; 0 if there is none.

    first: the array's address.
    """
    table = recorder.launch.module.rows
    lanes: dict[int, int] = {}
    for pc, extents in extents_of_accesses(recorder.launch).items():
        if any(extent.low == first for extent in extents) and table[pc, row.OPCODE] in STORES:
            executed = recorder.rows[recorder.rows[:, ev.PC] == pc, ev.LANES]
            line = recorder.places.line_of(pc)[1] or 0
            lanes[line] = lanes.get(line, 0) + int((executed[:, None] >> numpy.arange(32) & 1).sum())
    return max(lanes, key=lambda line: (lanes[line], line), default=0)


def _place(number: int, extent: Extent) -> Extent:
    return number % extent[0], number // extent[0] % extent[1], number // (extent[0] * extent[1])
