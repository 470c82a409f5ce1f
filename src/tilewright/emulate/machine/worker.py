"""One worker of a launch: its memories, its tables and its counters, and the loop over the blocks that it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.compiled import Unit
from tilewright.emulate.execute.addresses import LOCAL, SHARED
from tilewright.emulate.execute.async_copies import WARP_BYTES, copy_async
from tilewright.emulate.execute.atomics import atomic
from tilewright.emulate.execute.bulk_copies import bulk_bytes, execute_bulk, perform_bulk
from tilewright.emulate.execute.clusters import execute_cluster
from tilewright.emulate.execute.events import EVENT_WORDS, KINDS, SPACES, is_wanted
from tilewright.emulate.execute.half_atomics import atomic_on_halves
from tilewright.emulate.execute.interpreter import run_split
from tilewright.emulate.execute.matrices import execute_matrix
from tilewright.emulate.execute.mbarriers import execute_mbarrier
from tilewright.emulate.execute.memory_access import access_memory
from tilewright.emulate.execute.scalar_operations import execute_scalar
from tilewright.emulate.execute.tiles import TILES_BYTES
from tilewright.emulate.execute.vector_run import run_vectors
from tilewright.emulate.execute.warp_sync import try_warp_sync
from tilewright.emulate.execute.warpgroups import WARPGROUP_BYTES, execute_warpgroup
from tilewright.emulate.machine.memory import Bytes, find_string
from tilewright.emulate.machine.schedule import run_blocks
from tilewright.emulate.state import Int64s

if TYPE_CHECKING:
    from tilewright.emulate.machine.launch import Launch
    from tilewright.emulate.observers.observer import Observer

QUANTUM = 4096
COMPLETIONS = ("early", "late", "random")
UNITS = {
    st.LAYOUT_RUN_VECTORS: run_vectors,
    st.LAYOUT_ACCESS_MEMORY: access_memory,
    st.LAYOUT_EXECUTE_SCALAR: execute_scalar,
    st.LAYOUT_ATOMIC: atomic,
    st.LAYOUT_WARP_SYNC: try_warp_sync,
    st.LAYOUT_RUN_SPLIT: run_split,
    st.LAYOUT_PLAIN_ACCESS: access_memory,
    st.LAYOUT_PLAIN_ATOMIC: atomic,
}
SPECIAL_UNITS = {
    **dict.fromkeys((op.ASYNC_COPY, op.COPY_COMMIT, op.COPY_WAIT), copy_async),
    **dict.fromkeys((op.LOAD_MATRIX, op.STORE_MATRIX, op.TURN_MATRIX), execute_matrix),
    **dict.fromkeys((op.MULTIPLY_MATRICES, op.MULTIPLY_FLOAT64), execute_matrix),
    **dict.fromkeys(
        (op.WARPGROUP_MULTIPLY, op.WARPGROUP_COMMIT, op.WARPGROUP_WAIT, op.WARPGROUP_FENCE), execute_warpgroup
    ),
    op.CLUSTER: execute_cluster,
    op.MBARRIER: execute_mbarrier,
    op.HALF_ATOMIC: atomic_on_halves,
    **dict.fromkeys((op.BULK_COPY, op.BULK_GROUP), execute_bulk),
}
"""By opcode: what only modules with that instruction need."""


def special_units(opcodes: frozenset[int]) -> list[Unit]:
    """Return the units that a module needs besides those of every launch."""
    units = [unit for opcode, unit in SPECIAL_UNITS.items() if opcode in opcodes]
    return list(dict.fromkeys([*units, perform_bulk] if execute_bulk in units else units))


class Worker:
    """The state of one worker, kept alive while it runs."""

    def __init__(self, launch: Launch, is_parallel: bool, originals: list[Bytes], kept: Int64s, spent: Int64s) -> None:
        self.launch = launch
        self.is_running = False
        resident, warps = launch.resident, launch.resident * launch.warps
        code, rows = launch.module.code, launch.module.rows
        self.counters = np.zeros((len(rows), st.COUNTER_COLUMNS), np.int64)
        self.warps = np.zeros((warps, st.WARP_COLUMNS), np.int64)
        self.splits = np.zeros((warps, 32, st.SPLIT_COLUMNS), np.int64)
        self.joins = np.zeros((warps, st.JOINS, st.JOIN_COLUMNS), np.int64)
        self.prints = np.zeros(32 * st.PRINT_RECORD_BYTES, np.uint8)
        self.shared = aligned_bytes(resident * launch.shared_bytes)
        self.local = aligned_bytes(warps * 32 * launch.local_bytes)
        self.allocations, self.shadows = self._allocation_table(is_parallel)
        for index, original in enumerate(originals):
            self.allocations[index, st.ALLOCATION_ORIGINAL] = original.ctypes.data
        self.allocations[:, st.ALLOCATION_FLAG] = kept.ctypes.data + 8 * np.arange(len(kept))
        tables: dict[int, np.ndarray[Any, Any]] = {
            st.LAYOUT_CODE: launch.rows,
            st.LAYOUT_CONSTANTS: launch.constants,
            st.LAYOUT_COUNTERS: self.counters,
            st.LAYOUT_FRAMES: aligned_bytes(warps * launch.frame_bytes),
            st.LAYOUT_SHARED: self.shared,
            st.LAYOUT_LOCAL: self.local,
            st.LAYOUT_CALLS: np.array(code.calls, np.int64),
            st.LAYOUT_COPIES: np.array(code.copies, np.int64),
            st.LAYOUT_TABLES: np.array(code.tables, np.int64),
            st.LAYOUT_ALLOCATION_TABLE: self.allocations,
            st.LAYOUT_HINTS: np.zeros(len(rows), np.int32),
            st.LAYOUT_WARP_TABLE: self.warps,
            st.LAYOUT_SPLITS: self.splits,
            st.LAYOUT_JOINS: self.joins,
            st.LAYOUT_BLOCKS: np.zeros((resident, st.BLOCK_COLUMNS), np.int64),
            st.LAYOUT_BARRIERS: np.zeros((resident, st.BARRIERS, st.BARRIER_COLUMNS), np.int64),
            st.LAYOUT_PRINTS: self.prints,
            st.LAYOUT_EXCHANGE: aligned_bytes(512),
            st.LAYOUT_ORDER: np.zeros(warps, np.int64),
            st.LAYOUT_SPENT: spent,
        }
        if not launch.module.opcodes.isdisjoint((op.MBARRIER, op.BULK_COPY)):
            tables[st.LAYOUT_MBARRIERS] = aligned_bytes(resident * launch.shared_bytes)
        has_bulk = not launch.module.opcodes.isdisjoint((op.BULK_COPY, op.BULK_GROUP))
        if has_bulk:
            tables[st.LAYOUT_BULK] = aligned_bytes(bulk_bytes(warps))
        if launch.copies_async:
            tables[st.LAYOUT_ASYNC] = aligned_bytes(warps * WARP_BYTES)
        if not launch.module.opcodes.isdisjoint((op.MULTIPLY_MATRICES, op.WARPGROUP_MULTIPLY)):
            tables[st.LAYOUT_TILES] = aligned_bytes(TILES_BYTES)
        if launch.uses_warpgroups:
            tables[st.LAYOUT_WARPGROUPS] = aligned_bytes(warps * WARPGROUP_BYTES)
        self.kept = list(tables.values())
        self.words = np.zeros(st.STATE_WORDS, np.int64)
        for column, table in tables.items():
            self.words[column] = table.ctypes.data
        for column, unit in UNITS.items():
            self.words[column] = unit.address
        for opcode in launch.module.opcodes & SPECIAL_UNITS.keys():
            self.words[st.LAYOUT_SPECIAL + opcode - op.ASYNC_COPY] = SPECIAL_UNITS[opcode].address
        if has_bulk:
            self.words[st.LAYOUT_PERFORM_BULK] = perform_bulk.address
        self._write_sizes(is_parallel)

    def watch(self, observers: Sequence[Observer]) -> None:
        """Let observers be told of every event."""
        from tilewright.emulate.execute.observed_access import observed_access, observed_atomic

        words, launch = self.words, self.launch
        event = aligned_bytes(8 * EVENT_WORDS)
        has_trips = any(observer.wants_trips for observer in observers)
        warps = launch.resident * launch.warps if has_trips else 0
        trips = aligned_bytes(4 * warps * int(words[st.LAYOUT_INSTRUCTIONS]))
        self.kept += [event, trips]
        words[st.LAYOUT_EVENT] = event.ctypes.data
        words[st.LAYOUT_TRIPS] = trips.ctypes.data if has_trips else 0
        words[st.LAYOUT_ACCESS_MEMORY], words[st.LAYOUT_ATOMIC] = observed_access.address, observed_atomic.address
        listeners = [(observer.unit.address, observer.begin(launch, self)) for observer in observers]
        lists = np.zeros((KINDS, SPACES, len(observers) + 1, st.LISTENER_COLUMNS), np.int64)
        for kind, space in np.ndindex(KINDS, SPACES):
            wanting = [is_wanted(observer.events, observer.spaces, kind, space) for observer in observers]
            chosen = [listener for listener, wants in zip(listeners, wanting, strict=True) if wants]
            lists[kind, space, : len(chosen)] = np.array(chosen, np.int64).reshape(-1, st.LISTENER_COLUMNS)
        places = lists.ctypes.data + lists.strides[1] * np.arange(KINDS * SPACES, dtype=np.int64)
        self.kept += [lists, places]
        words[st.LAYOUT_LISTENERS] = places.ctypes.data
        words[st.LAYOUT_OBSERVER_COUNT] = len(observers)

    def _allocation_table(self, is_parallel: bool) -> tuple[Int64s, list[Bytes]]:
        launch = self.launch
        table = np.zeros((len(launch.allocations) + 1, st.ALLOCATION_COLUMNS), np.int64)
        parameters = np.frombuffer(launch.parameter_bytes, np.uint8)
        pieces = [(a.address, a.data, a.writable) for a in launch.allocations]
        pieces.append((launch.parameters.address, parameters, False))
        shadows = []
        for index, (address, data, writable) in enumerate(pieces):
            shadow = np.zeros((data.nbytes + 3) // 4 if is_parallel else 0, np.uint8)
            shadows.append(shadow)
            table[index] = address, data.nbytes, data.ctypes.data, writable, 0, shadow.ctypes.data, 0, 0
        return table, shadows

    def _write_sizes(self, is_parallel: bool) -> None:
        launch = self.launch
        self.words[st.LAYOUT_GRID_X : st.LAYOUT_GRID_Z + 1] = launch.grid
        self.words[st.LAYOUT_BLOCK_X : st.LAYOUT_BLOCK_Z + 1] = launch.block
        self.words[st.LAYOUT_CLUSTER_X : st.LAYOUT_CLUSTER_Z + 1] = launch.cluster
        values = {
            st.LAYOUT_THREADS: launch.threads,
            st.LAYOUT_WARPS: launch.warps,
            st.LAYOUT_RESIDENT: launch.resident,
            st.LAYOUT_CLUSTER: launch.cluster_blocks,
            st.LAYOUT_ENTRY: launch.function.entry,
            st.LAYOUT_FRAME_BYTES: launch.frame_bytes,
            st.LAYOUT_FRAME_ZERO: launch.frame_bytes if launch.unwritten_reads else 0,
            st.LAYOUT_SHARED_BYTES: launch.shared_bytes,
            st.LAYOUT_RESERVED_BYTES: launch.reserved_bytes,
            st.LAYOUT_LOCAL_BYTES: launch.local_bytes,
            st.LAYOUT_ALLOCATIONS: len(self.allocations),
            st.LAYOUT_QUANTUM: QUANTUM,
            st.LAYOUT_BUDGET: launch.budget,
            st.LAYOUT_RANDOM: launch.is_random,
            st.LAYOUT_WAITS: launch.waits,
            st.LAYOUT_PARALLEL: is_parallel,
            st.LAYOUT_COMPLETION: COMPLETIONS.index(launch.completion),
            st.LAYOUT_INSTRUCTIONS: len(launch.module.rows) + len(launch.module.rows) % 2,
        }
        for column, value in values.items():
            self.words[column] = value

    def string_at(self, warp: int, lane: int, address: int) -> str:
        """Return the C string that a thread finds at a generic address, and note what it read."""
        window, offset = address >> op.WINDOW_SHIFT, address & ((1 << op.WINDOW_SHIFT) - 1)
        if window in (SHARED, LOCAL):
            memory, owner = (
                (self.shared, warp // self.launch.warps) if window == SHARED else (self.local, 32 * warp + lane)
            )
            nbytes = self.launch.shared_bytes if window == SHARED else self.launch.local_bytes
            return find_string([(address - offset, memory[owner * nbytes : (owner + 1) * nbytes])], address)[1]
        index, text = find_string([(a.address, a.data) for a in self.launch.allocations], address)
        if index >= 0:
            self.allocations[index, st.ALLOCATION_USED] |= st.USED_LOAD
        return text

    def run(self, chunk: tuple[int, int], collect: Callable[[Worker], None]) -> int:
        """Run the blocks of a chunk and return the status it ended with."""
        words, launch = self.words, self.launch
        first, last = chunk
        while True:
            first = run_blocks.call(words.ctypes.data, first, last, launch.seed, launch.group_budget)
            if words[st.CONTROL_PRINTED]:
                collect(self)
            if words[st.CONTROL_STATUS] != st.PRINTED:
                return int(words[st.CONTROL_STATUS])
            words[st.CONTROL_STATUS] = st.RUNNING
            words[st.CONTROL_RESUME] = 1


def aligned_bytes(nbytes: int) -> Bytes:
    """Return zeroed bytes whose address is a multiple of 64."""
    raw = np.zeros(nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + nbytes]
