"""Uninitialised reads: shared, global and local memory that a kernel reads before anybody wrote it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, LOCAL, SHARED
from tilewright.emulate.execute.warpgroups import FIRST_KEPT
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.provenance import extents_of_accesses
from tilewright.emulate.machine.worker import Worker, aligned_bytes
from tilewright.emulate.observers import validity as va
from tilewright.emulate.observers.finding import Finding, Place
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.state import Int64s

SPACES = {SHARED: "shared", GLOBAL: "global", LOCAL: "local"}
OWNERS = {
    SHARED: "that no thread of the block has written",
    GLOBAL: "that neither the host nor a kernel has written",
    LOCAL: "that the thread has not written",
}
ADVICE = {
    SHARED: "Write every element before it is read: let threads outside of the matrix store 0, and wait at "
    "__syncthreads() until all have written.",
    GLOBAL: "Fill the array before the launch, or let the kernel write the element first.",
    LOCAL: "Give the array its values before it is read.",
}


class UninitialisedObserver(Observer):
    """Finds reads of memory that nobody has written.

    Global memory counts as written where the host wrote it, and where an earlier launch did: there in all of an
    allocation that it changed, unless an observer of this kind watched. Local memory is not followed through calls.
    """

    unit = va.observe_validity
    events = ev.mask(ev.LOAD, ev.STORE, ev.ATOMIC, ev.BLOCK_START, ev.BULK_LOAD, ev.BULK_STORE)

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Make shadows of what is not known to be written."""
        self._launch, self._worker = launch, worker
        self._shadows = {}
        for number, allocation in enumerate(launch.allocations):
            if not allocation.is_all_written:
                self._shadows[number] = allocation.written
        self._global = np.zeros(len(launch.allocations) + 1, np.int64)
        for number, shadow in self._shadows.items():
            self._global[number] = shadow.ctypes.data
        self._shared = aligned_bytes(launch.resident * launch.shared_bytes)
        self._blank = aligned_bytes(launch.shared_bytes)
        self._blank[:] = 1
        for _, first, nbytes in launch.shared_layout:
            if first < launch.reserved_bytes:
                continue  # the system's own, which is 0 from the start
            self._blank[first : first + nbytes] = 0
        follows_local = launch.local_bytes > 0 and not launch.function.calls and not launch.function.calls_pointers
        self._local = aligned_bytes(launch.resident * launch.warps * 32 * launch.local_bytes if follows_local else 0)
        self._states = np.zeros(launch.resident, np.int64)
        self._records = np.zeros((len(launch.module.rows), va.RECORD_WORDS), np.int64)
        for pc, extents in extents_of_accesses(launch).items():
            if len({extent.space for extent in extents}) == 1:
                self._records[pc, va.LOW] = min(extent.low for extent in extents)
                self._records[pc, va.HIGH] = max(extent.high for extent in extents)
                self._records[pc, va.OWN_SPACE] = extents[0].space
        self._own = np.zeros(va.OWN_WORDS, np.int64)
        for column, array in (
            (va.SHARED_SHADOW, self._shared),
            (va.SHARED_BLANK, self._blank),
            (va.SHARED_STATES, self._states),
            (va.GLOBAL_SHADOWS, self._global),
            (va.RECORDS, self._records),
        ):
            self._own[column] = array.ctypes.data
        self._own[va.LOCAL_SHADOW] = self._local.ctypes.data if follows_local else 0
        return int(self._own.ctypes.data)

    def end(self) -> None:
        """Make a finding per line, of its first such read, and tell the allocations what was written."""
        for number, shadow in self._shadows.items():
            self._launch.allocations[number].set_written(shadow)
        places = self._launch.places
        found = [(pc, self._records[pc]) for pc in np.flatnonzero(self._records[:, va.TIMES]).tolist()]
        first: dict[Place, Finding] = {}
        for pc, record in sorted(found, key=lambda pair: int(pair[1][va.NUMBER])):
            place = places.line_of(pc)
            times = int(record[va.TIMES]) + (first[place].times if place in first else 0)
            first[place] = replace(first.get(place) or self._finding(pc, record), times=times)
        self.findings = [*first.values(), *self._register()]

    def _register(self) -> list[Finding]:
        """Make a finding of the first executed line that may read a register before anything is written to it.

        Later lines may only read what this one made of it; others are found once it is mended.
        """
        counters, rows = self._worker.counters, self._launch.module.rows
        # A wgmma names its sums as operands also where it does not read them.
        times = np.where(rows[:, row.OPCODE] == op.WARPGROUP_MULTIPLY, counters[:, FIRST_KEPT], counters[:, 0])
        executed = [pc for pc in self._launch.unwritten_reads if times[pc]]
        if not executed:
            return []
        return [
            Finding(
                "uninitialised variable",
                "error",
                self._launch.places.line_of(min(executed)),
                "A variable is used that may have no value yet: its register holds whatever was left there.",
                "Give the variable a value where it is declared.",
                times=int(times[min(executed)]),
            )
        ]

    def _finding(self, pc: int, record: Int64s) -> Finding:
        places = self._launch.places
        block = places.block_of(int(record[va.BLOCK]))
        thread = places.thread_of(int(record[va.WARP]), int(record[va.LANE]))
        space = int(record[va.SPACE])
        name = places.name_of(space, int(record[va.ADDRESS]))
        return Finding(
            "uninitialised read",
            "error",
            places.line_of(pc),
            f"Thread {thread} of block {block} reads {name}, {OWNERS[space]}.",
            ADVICE[space],
            threads=((block, thread),),
            address=name,
            details={"space": SPACES[space]},
        )
