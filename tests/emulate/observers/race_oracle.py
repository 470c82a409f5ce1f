"""Happens-before by full vector clocks: slow, exact, and nothing in common with the observer but the definition."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tilewright.emulate.execute import events as ev
from tilewright.emulate.execute.addresses import GLOBAL
from tilewright.emulate.opcodes import SCOPE_BLOCK

Clock = np.ndarray[Any, np.dtype[np.int64]]
Cell = tuple[int, int, int]


@dataclass
class Access:
    """One access of a thread: its clock then, and whether it writes and is atomic."""

    thread: int
    clock: int
    writes: bool
    is_atomic: bool
    warp: int


@dataclass
class Oracle:
    """Replays recorded events. racy: cells, as (space, block or -1, address), with an unordered conflict."""

    threads: int
    blocks: int
    racy: set[Cell] = field(default_factory=set)
    history: dict[Cell, list[Access]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        count = self.threads * self.blocks
        self.clocks = np.eye(count, dtype=np.int64)
        self.met = np.zeros((count, count), np.int64)  # known through barriers and warp synchronization alone
        self.fenced: dict[tuple[int, bool], Clock] = {}  # thread, for the device
        self.fences: list[tuple[int, int, bool]] = []  # thread, its clock, for the device
        self.released: dict[Cell, list[tuple[int, Clock, Clock]]] = defaultdict(list)
        self.arrived: dict[tuple[int, int], list[tuple[int, bool]]] = defaultdict(list)
        self.ended: dict[int, list[int]] = defaultdict(list)

    def replay(self, rows: np.ndarray[Any, Any]) -> set[Cell]:
        """Take all events of a recorder and return the racy cells."""
        for row in rows:
            block = int(row[ev.BLOCK])
            first = block * self.threads + 32 * int(row[ev.WARP_IN_BLOCK])
            members = [(first + lane, lane) for lane in range(32) if int(row[ev.LANES]) >> lane & 1]
            kind = int(row[ev.KIND])
            if kind <= ev.ATOMIC:
                for thread, lane in members:
                    self._access(row, kind, thread, block, int(row[ev.ADDRESSES + lane]))
            elif kind == ev.WARP_SYNC:
                self._meet([thread for thread, _ in members], [thread for thread, _ in members])
            elif kind == ev.FENCE:
                for thread, _ in members:
                    self._fence(thread, int(row[ev.SCOPE]) != SCOPE_BLOCK)
            elif kind == ev.BARRIER:
                waits = bool(row[ev.WAITS])
                self.arrived[block, int(row[ev.BARRIER_NUMBER])] += [(thread, waits) for thread, _ in members]
            elif kind == ev.BARRIER_OPEN:
                arrived = self.arrived.pop((block, int(row[ev.BARRIER_NUMBER])))
                everyone = [thread for thread, _ in arrived] + self.ended[block]
                self._meet(everyone, [thread for thread, waits in arrived if waits])
            elif kind == ev.EXIT:
                self.ended[block] += [thread for thread, _ in members]
        return self.racy

    def _meet(self, come: list[int], go_on: list[int]) -> None:
        for table in (self.clocks, self.met):
            for thread in come:
                table[thread, thread] = self.clocks[thread, thread]
            table[go_on] = np.maximum(table[go_on], table[come].max(axis=0))
        for thread in come:
            self.clocks[thread, thread] += 1

    def _fence(self, thread: int, for_device: bool) -> None:
        self.fences.append((thread, int(self.clocks[thread, thread]), for_device))
        self.fenced[thread, False] = self.clocks[thread].copy()
        if for_device:
            self.fenced[thread, True] = self.clocks[thread].copy()
        self.clocks[thread, thread] += 1

    def _access(self, row: np.ndarray[Any, Any], kind: int, thread: int, block: int, address: int) -> None:
        space = int(row[ev.SPACE])
        cell = (space, -1 if space == GLOBAL else block, address)
        is_atomic, writes = kind == ev.ATOMIC, kind != ev.LOAD
        if is_atomic:
            for releaser, near, far in self.released[cell]:
                is_near = releaser // self.threads == block
                self.clocks[thread] = np.maximum(self.clocks[thread], near if is_near else far)
        for earlier in self.history[cell]:
            is_conflict = (writes or earlier.writes) and not (is_atomic and earlier.is_atomic)
            if is_conflict and earlier.thread != thread and self.clocks[thread, earlier.thread] < earlier.clock:
                self.racy.add(cell)
        now = int(self.clocks[thread, thread])
        self.history[cell].append(Access(thread, now, writes, is_atomic, int(row[ev.WARP])))
        if is_atomic and (thread, False) in self.fenced:
            near, far = self._known_at_fence(thread, True), self._known_at_fence(thread, False)
            self.released[cell].append((thread, near, far))

    def _known_at_fence(self, thread: int, is_near: bool) -> Clock:
        """What a release passes on: what its thread knew at its fence, and what others of its block fenced."""
        none = np.full(len(self.clocks), -1)
        known = self.fenced.get((thread, not is_near), none).copy()
        for other, clock, for_device in self.fences:
            is_met = other // self.threads == thread // self.threads and self.met[thread, other] >= clock
            if is_met and (is_near or for_device):
                known[other] = max(known[other], clock)
        return known
