"""Out of bounds: accesses that leave the array that their address was computed from, also for another array."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.compiled import ObservedUnit
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, LOCAL, SHARED
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.places import element_name
from tilewright.emulate.machine.provenance import Extent, extents_of_accesses
from tilewright.emulate.machine.worker import Worker
from tilewright.emulate.memory_vectors import check_global, count_lanes, lowest_lane
from tilewright.emulate.observers.finding import Finding, Place
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.state import Int64s
from tilewright.emulate.tables import get, increase, put

(EXTENTS, ALLOCATION, TIMES, BLOCK, WARP, LANE, ADDRESS, SPACE, NBYTES, ACCESS, NUMBER) = range(11)
FIRST_EXTENT = 11
EXTENT_SPACE, EXTENT_LOW, EXTENT_HIGH, EXTENT_COLUMNS = range(4)
RECORDS, FOUND = 0, 1
"""Of `own`: the table of records by instruction (0: the address may come from anywhere), and how many found some."""
ACCESSES = (
    *(op.LOAD_GLOBAL, op.LOAD_SHARED, op.LOAD_GENERIC, op.STORE_GLOBAL, op.STORE_SHARED, op.STORE_GENERIC, op.ATOMIC),
    *(op.ASYNC_COPY, op.LOAD_MATRIX, op.STORE_MATRIX),
)
VERBS = {ev.LOAD: "reads", ev.STORE: "writes", ev.ATOMIC: "updates"}


@ObservedUnit
def observe_bounds(state: int, own: int, event: int) -> int:
    """Note the first lane outside of all arrays that its address may have been computed from."""
    record = get(get(own, RECORDS), get(event, ev.PC))
    if record == 0:
        return 0
    space = GLOBAL if get(event, ev.SPACE) == ev.CONSTANT else get(event, ev.SPACE)
    # The allocation that all lanes are in is known already, and mostly it is the right one.
    if space == GLOBAL and get(record, ALLOCATION) == get(event, ev.ALLOCATION) and get(record, ALLOCATION) >= 0:
        return 0
    nbytes, lanes = get(event, ev.NBYTES), get(event, ev.LANES)
    outside = lanes
    for index in range(get(record, EXTENTS)):
        extent = record + 8 * (FIRST_EXTENT + EXTENT_COLUMNS * index)
        if get(extent, EXTENT_SPACE) == space:
            low = get(extent, EXTENT_LOW)
            limit = max(get(extent, EXTENT_HIGH) - low - nbytes + 1, 0)
            outside &= ~check_global(event + 8 * ev.ADDRESSES, 0, low, limit, 0, lanes)
    if outside:
        if get(record, TIMES) == 0:
            lane = lowest_lane(outside)
            put(record, NUMBER, get(own, FOUND))
            increase(own, FOUND, 1)
            put(record, BLOCK, get(event, ev.BLOCK))
            put(record, WARP, get(event, ev.WARP_IN_BLOCK))
            put(record, LANE, lane)
            put(record, ADDRESS, ev.address_of(event, lane))
            put(record, SPACE, space)
            put(record, NBYTES, nbytes)
            put(record, ACCESS, get(event, ev.KIND))
        increase(record, TIMES, count_lanes(outside))
    return 0


class BoundsObserver(Observer):
    """Finds accesses outside of the array that their address was computed from (provenance.py).

    unchecked: source lines with accesses whose address may come from anywhere, such as one loaded from memory. Only the
    whole of an array counts here: `tile[0][16]` of a `tile[16][16]` is `tile[1][0]`.
    """

    unit = observe_bounds
    spaces = ev.mask(GLOBAL, SHARED, LOCAL, ev.CONSTANT)

    def __init__(self) -> None:
        super().__init__()
        self.unchecked: list[Place] = []

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Give every instruction whose arrays are known a record with their extents."""
        self._launch = launch
        self._extents = extents_of_accesses(launch)
        self._counters = worker.counters
        numbers = {allocation.address: number for number, allocation in enumerate(launch.allocations)}
        self._records = {}
        self._table = np.zeros(len(launch.module.rows), np.int64)
        for pc, extents in self._extents.items():
            record = np.zeros(FIRST_EXTENT + EXTENT_COLUMNS * len(extents), np.int64)
            record[EXTENTS] = len(extents)
            record[ALLOCATION] = -1
            if len(extents) == 1 and extents[0].space == GLOBAL:
                record[ALLOCATION] = numbers.get(extents[0].low, -1)
            for index, extent in enumerate(extents):
                start = FIRST_EXTENT + EXTENT_COLUMNS * index
                record[start : start + EXTENT_COLUMNS] = extent.space, extent.low, extent.high
            self._records[pc] = record
            self._table[pc] = record.ctypes.data
        self._own = np.array([self._table.ctypes.data, 0], np.int64)
        return int(self._own.ctypes.data)

    def end(self) -> None:
        """Make a finding per line, of the first access that left its array, and list the lines not checked."""
        places = self._launch.places
        found = [(pc, record) for pc, record in self._records.items() if record[TIMES]]
        first: dict[Place, Finding] = {}
        for pc, record in sorted(found, key=lambda pair: int(pair[1][NUMBER])):
            place = places.line_of(pc)
            times = int(record[TIMES]) + (first[place].times if place in first else 0)
            first[place] = replace(first.get(place) or self._finding(pc, record), times=times)
        self.findings = list(first.values())
        rows = self._launch.module.rows
        executed = np.flatnonzero((self._counters[:, 0] > 0) & np.isin(rows[:, row.OPCODE], ACCESSES))
        unknown = [places.line_of(pc) for pc in executed.tolist() if pc not in self._extents]
        self.unchecked = list(dict.fromkeys(unknown))

    def _finding(self, pc: int, record: Int64s) -> Finding:
        places, extents = self._launch.places, self._extents[pc]
        space, lane = int(record[SPACE]), int(record[LANE])
        address = int(record[ADDRESS])
        if space != GLOBAL and address >> 31:
            address -= 1 << 32  # below the start of shared memory
        block, thread = places.block_of(int(record[BLOCK])), places.thread_of(int(record[WARP]), lane)
        candidates = [extent for extent in extents if extent.space == space] or list(extents)
        nearest = min(candidates, key=lambda extent: min(abs(address - extent.low), abs(address - extent.high)))
        name = self._element(nearest, address)
        arrays = " and ".join(f"{extent.name} ({extent.high - extent.low} bytes)" for extent in extents)
        there = self._what_lies_at(space, address)
        message = (
            f"Thread {thread} of block {block} {VERBS[int(record[ACCESS])]} {name}, which is outside of {arrays}"
            f"{f', where {there} lies' if there else ''}."
        )
        advice = f"Guard the access so that the subscript stays inside of {nearest.name}, or declare it larger."
        line, outer = places.line_of(pc), places.outer_line_of(pc)
        return Finding(
            "out of bounds",
            "error",
            line,
            message,
            advice,
            other=outer if outer != line else None,  # where the function that reads or writes is called
            threads=((block, thread),),
            address=name,
        )

    def _element(self, extent: Extent, address: int) -> str:
        if extent.space == SHARED:
            return self._launch.places.shared_element(extent.name, address - extent.low)
        for allocation in self._launch.allocations:
            if extent.space == GLOBAL and allocation.address == extent.low:
                return element_name(extent.name, address - extent.low, allocation.dtype, allocation.shape)
        return element_name(extent.name, address - extent.low, None, None)

    def _what_lies_at(self, space: int, address: int) -> str:
        """Return the element of another array that was hit, if there is one."""
        if space == SHARED:
            is_inside = self._launch.places.shared_array_at(address) is not None
        else:
            pieces = ((a.address, a.nbytes) for a in self._launch.allocations)
            is_inside = space == GLOBAL and any(first <= address < first + nbytes for first, nbytes in pieces)
        return self._launch.places.name_of(space, address) if is_inside else ""
