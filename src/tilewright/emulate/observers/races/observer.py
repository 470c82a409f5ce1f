"""The race observer: pairs of accesses that nothing orders, whatever the order in which they happened to run.

Two accesses to a byte race when one of them writes, not both are atomic (or strong), and neither *happens before* the
other: in one thread, through a barrier of the block, a synchronization of the warp, or a release (a fence and a later
atomic) that is acquired (by a later atomic or volatile load). docs/races.md says what is known and what is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL, SHARED
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.worker import Worker, aligned_bytes
from tilewright.emulate.observers.observer import Observer
from tilewright.emulate.observers.races import layout as ly
from tilewright.emulate.observers.races.judge import judge_conflict, keep_collision, watch_copies
from tilewright.emulate.observers.races.order import search_releases
from tilewright.emulate.observers.races.records import record_logged
from tilewright.emulate.observers.races.report import findings_of
from tilewright.emulate.observers.races.watch import watch_races
from tilewright.emulate.state import BARRIERS, Int64s

RELEASES_ROOM, ACQUIRES_ROOM, FENCES_ROOM = 1 << 17, 1 << 19, 1 << 19
RACES_ROOM, LOG_ROOM = 1024, 1 << 19
_GENERIC_OPCODES = (op.LOAD_GENERIC, op.STORE_GENERIC, op.ASYNC_COPY)
_GLOBAL_OPCODES = (op.LOAD_GLOBAL, op.STORE_GLOBAL, *_GENERIC_OPCODES)
_SHARED_OPCODES = (op.LOAD_SHARED, op.STORE_SHARED, op.LOAD_MATRIX, op.STORE_MATRIX, *_GENERIC_OPCODES)


class RaceObserver(Observer):
    """Finds races in global and shared memory; strict: threads that write the same value are an error, no note.

    is_judged: False after a kernel with mbarriers, clusters or copies in bulk, whose order is not followed yet: nothing
    is found in it.
    """

    unit = watch_races
    events = ev.mask(
        ev.LOAD, ev.STORE, ev.ATOMIC, ev.BARRIER, ev.BARRIER_OPEN, ev.WARP_SYNC, ev.FENCE, ev.BLOCK_START, ev.COPY
    )
    spaces = ev.mask(GLOBAL, SHARED)

    def __init__(self, *, strict: bool = False) -> None:
        super().__init__()
        self.strict = strict
        self.is_judged = True

    def begin(self, launch: Launch, worker: Worker) -> int:
        """Lay out the tables; those of memory take room only where a kernel goes."""
        self._launch = launch
        self.is_judged = not launch.has_events
        self.events = RaceObserver.events if self.is_judged else 0
        self._own: Int64s = np.zeros(ly.OWN_WORDS, np.int64)
        self._kept: list[Any] = []
        rows = launch.module.rows[: len(launch.module.code.rows)]
        resident, warps = launch.resident, launch.resident * launch.warps
        lines = len(launch.module.code.lines)
        own = self._own
        own[ly.TIME] = 1
        own[ly.SHARED_SHIFT] = _cell_shift(rows, _SHARED_OPCODES, "global")
        own[ly.GLOBAL_SHIFT] = _cell_shift(rows, _GLOBAL_OPCODES, "shared")
        own[ly.SHARED_BYTES], own[ly.FIRST_SHARED_AREA] = launch.shared_bytes, len(launch.allocations) + 1
        own[ly.LINES] = lines
        sizes = {
            ly.WARPS: 8 * ly.WARP_COLUMNS * warps,
            ly.BLOCKS: 8 * ly.BLOCK_COLUMNS * resident,
            ly.LANES: 8 * ly.LANE_COLUMNS * 32 * warps,
            ly.KNOWN: 128 * 32 * warps,
            ly.EXECUTED: 8 * lines * warps,
            ly.ARRIVALS: 8 * ly.ARRIVAL_COLUMNS * BARRIERS * resident,
            ly.NEIGHBORS: 8 * ly.NEIGHBOR_COLUMNS * ly.NEIGHBORS_PER_BLOCK * resident,
            ly.NODES: 8 * ly.NODE_COLUMNS * RELEASES_ROOM,
            ly.WORK: 8 * RELEASES_ROOM,
            ly.ACQUIRES: 8 * ly.ACQUIRE_COLUMNS * ACQUIRES_ROOM,
            ly.FENCES: 8 * ly.FENCE_COLUMNS * FENCES_ROOM,
            ly.GROUPS: 8 * 32,
            ly.GROUPED_LANES: 8 * 32,
            ly.LOG: 8 * ly.LOG_COLUMNS * LOG_ROOM,
            ly.FOUND: 8 * ly.FOUND_COLUMNS * RACES_ROOM,
        }
        for column, nbytes in sizes.items():
            own[column] = self._room(nbytes)
        own[ly.NODES_ROOM], own[ly.ACQUIRES_ROOM] = RELEASES_ROOM, ACQUIRES_ROOM
        own[ly.FENCES_ROOM], own[ly.FOUND_ROOM] = FENCES_ROOM, RACES_ROOM
        own[ly.JUDGE], own[ly.COLLIDE] = judge_conflict.address, keep_collision.address
        own[ly.SEARCH], own[ly.WATCH_COPIES] = search_releases.address, watch_copies.address
        own[ly.COPIES] = self._room(8 * resident * (launch.shared_bytes // 4)) if launch.copies_async else 0
        repeats = np.array([1, 0x00010001, 0x01010101, 0x11111111, 0x55555555], np.int64)
        lanes = (repeats[:, None] << np.arange(32)) & ly.LOW
        self._kept.append(lanes)
        own[ly.REPEATED_LANES] = lanes.ctypes.data
        own[ly.LOG_ROOM], own[ly.REPLAY] = LOG_ROOM, record_logged.address
        volatile = np.array(["volatile" in text for text in launch.module.code.texts] or [False], np.uint8)
        self._kept.append(volatile)
        own[ly.VOLATILE] = volatile.ctypes.data
        self._lay_out_areas(launch, rows)
        return int(own.ctypes.data)

    def _lay_out_areas(self, launch: Launch, rows: np.ndarray[Any, Any]) -> None:
        own, resident = self._own, launch.resident
        is_atomic = rows[:, row.OPCODE] == op.ATOMIC
        has_strong = bool((is_atomic | ((rows[:, row.ORDER] & op.STRONG != 0) & _is_access(rows))).any())
        areas = np.zeros((len(launch.allocations) + 1 + resident, ly.AREA_COLUMNS), np.int64)
        self.unwatched: list[str] = []
        for index, allocation in enumerate(launch.allocations):
            if allocation.writable and allocation.nbytes:
                cells = _whole_pages(-(-allocation.nbytes >> int(own[ly.GLOBAL_SHIFT])))
                try:
                    areas[index, : ly.AREA_IS_WRITTEN] = allocation.address, *self._records(cells, has_strong)
                except MemoryError:
                    self.unwatched.append(allocation.name)
        if launch.shared_bytes:
            cells = _whole_pages(-(-launch.shared_bytes >> int(own[ly.SHARED_SHIFT])))
            starts = self._records(cells * resident, has_strong)
            sizes = np.array([ly.RECORD_BYTES * cells] * 5 + [4 * cells, _page_bytes(cells)])
            for number in range(resident):
                areas[len(launch.allocations) + 1 + number, ly.AREA_WRITES : ly.AREA_IS_WRITTEN] = (
                    np.array(starts) + number * sizes
                )
        areas[len(launch.allocations) + 1 :, ly.AREA_IS_DIRECT] = 1
        self._kept.append(areas)
        own[ly.AREAS] = areas.ctypes.data

    def _records(self, cells: int, has_strong: bool) -> list[int]:
        """Return where the records of so many cells are: AREA_WRITES to AREA_PAGES."""
        strong = cells if has_strong else 0
        sizes = [ly.RECORD_BYTES * count for count in (cells, cells, cells, strong, strong)]
        return [self._room(nbytes) for nbytes in [*sizes, 4 * strong, _page_bytes(cells)]]

    def _room(self, nbytes: int) -> int:
        room = aligned_bytes(nbytes)
        self._kept.append(room)
        return int(room.ctypes.data)

    def end(self) -> None:
        """Say what was found, and give the tables back."""
        own = self._own
        used = int(own[ly.FOUND_USED])
        table = next(kept for kept in self._kept if kept.ctypes.data == own[ly.FOUND])
        found = table.view(np.int64).reshape(-1, ly.FOUND_COLUMNS)[:used].copy()
        atomic_row = int(own[ly.ATOMIC_ROW]) - 1
        # What the system does in its own part of shared memory is no mistake of the kernel's.
        is_system = (found[:, ly.FOUND_SPACE] == SHARED) & (found[:, ly.FOUND_ADDRESS] < self._launch.reserved_bytes)
        found = found[~is_system]
        self.findings = findings_of(found, self._launch.places, atomic_row, strict=self.strict)
        self.is_complete = not (own[ly.IS_FULL] or own[ly.FOUND_DROPPED] or self.unwatched) and self.is_judged
        self._kept = []


def _whole_pages(cells: int) -> int:
    return -(-cells >> ly.PAGE_SHIFT) << ly.PAGE_SHIFT


def _page_bytes(cells: int) -> int:
    return 8 * ly.PAGE_COLUMNS * (cells >> ly.PAGE_SHIFT)


def _is_access(rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.isin(rows[:, row.OPCODE], _GLOBAL_OPCODES + _SHARED_OPCODES)


def _cell_shift(rows: np.ndarray[Any, Any], opcodes: tuple[int, ...], other_space: str) -> int:
    """Return log2 of the bytes of the narrowest access of a module to a memory, of a thread and all its elements."""
    kinds = rows[np.isin(rows[:, row.OPCODE], opcodes), row.KIND]
    sizes = (kinds & op.BYTES_MASK) * ((kinds >> op.VECTOR_SHIFT) & op.VECTOR_MASK)
    widths = [int(size) for size in np.unique(sizes) if size]
    atomics = rows[rows[:, row.OPCODE] == op.ATOMIC]
    for kind, space in {(int(line[row.KIND]), int(line[row.EXTRA_3])) for line in atomics}:
        if op.ATOMIC_SPACES[space] != other_space:
            widths.append(int(op.ATOMIC_TYPES[kind][1:]) // 8)
    return min(widths, default=4).bit_length() - 1
