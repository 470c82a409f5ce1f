"""Global memory: what threads wrote before a copy in bulk reads it, and accesses before another launch has ended."""

from __future__ import annotations

import numpy as np

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.execute import events as ev
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.memory import Allocation
from tilewright.emulate.observers.hazards.knowledge import FENCED, Knowledge
from tilewright.emulate.observers.hazards.operands import Asked
from tilewright.emulate.observers.hazards.sentences import Sentences
from tilewright.emulate.observers.hazards.traces import PIECE_BYTES, Note
from tilewright.emulate.state import Int32s


def waits_for_grid(launch: Launch) -> bool:
    """Return whether a module has `griddepcontrol.wait`."""
    rows = launch.module.rows
    return bool(((rows[:, row.OPCODE] == op.FENCE) & (rows[:, row.KIND] == op.ORDER_GRID_WAIT)).any())


class GlobalTraces:
    """Of one launch: numbers of notes by allocation and piece of 16 bytes."""

    def __init__(self, launch: Launch, knowledge: Knowledge, sentences: Sentences) -> None:
        self.launch, self.knowledge, self.say = launch, knowledge, sentences
        self.waits_for_grid = waits_for_grid(launch)
        self.notes: list[Note | None] = [None]
        self.writes: dict[int, Int32s] = {}
        self.allocations = sorted(launch.allocations, key=lambda allocation: allocation.address)
        self._starts = np.array([allocation.address for allocation in self.allocations], np.int64)

    def access(self, kind: int, note: Note, pieces: list[int]) -> None:
        """Threads read or write."""
        self._before_grid(note, [piece * PIECE_BYTES for piece in pieces], changes=kind != ev.LOAD)
        if kind == ev.LOAD:
            return
        self.notes.append(note)
        for piece in pieces:
            index = self._index(piece * PIECE_BYTES)
            if index is not None:
                base = self.allocations[index].address
                self._table(index)[(piece * PIECE_BYTES - base) // PIECE_BYTES] = len(self.notes) - 1

    def store(self, note: Note, asked: Asked) -> None:
        """A copy in bulk writes."""
        self._before_grid(note, [first for first, _ in asked.lines], changes=True)

    def load(self, note: Note, asked: Asked) -> None:
        """A copy in bulk reads."""
        self._before_grid(note, [first for first, _ in asked.lines], changes=False)
        for first, nbytes in asked.lines:
            index = self._index(first)
            if index is None or index not in self.writes:
                continue
            low = (first - self.allocations[index].address) // PIECE_BYTES
            found = self.writes[index][low : low + -(-nbytes // PIECE_BYTES)]
            for number in np.unique(found).tolist():
                before = self.notes[number]
                if before is not None:
                    self._compare(note, before, first)

    def _compare(self, note: Note, before: Note, address: int) -> None:
        """Compare a copy's read with a thread's write of the same launch."""
        knows = self.knowledge.knows(note.warp, before.warp, before.time)
        if knows and self.knowledge.knows(note.warp, before.warp, before.time, FENCED):
            return
        where = self.say.launch.places.name_of(0, address)
        kind = "missing proxy fence" if knows else "read without order"
        why = (
            "through the generic proxy, and no fence.proxy.async lies between"
            if knows
            else "and nothing that this launch does orders the two"
        )
        self.say.add(
            kind,
            f"Thread {self.say.thread(note.warp, note.lanes)} of block {self.say.block(note.block)} lets a copy in "
            f"bulk read {where}{self.say.at(note.pc)}, which thread {self.say.thread(before.warp, before.lanes)} of "
            f"block {self.say.block(before.block)} wrote{self.say.at(before.pc)} {why}.",
            *(note.pc, before.pc),
            address=where,
        )

    def _before_grid(self, note: Note, addresses: list[int], *, changes: bool) -> None:
        """Compare an access with griddepcontrol.wait."""
        if not self.waits_for_grid or self.knowledge.knows(note.warp, self.knowledge.grid_column, 1):
            return
        for address in addresses:
            index = self._index(address)
            if index is None or not (changes or self.allocations[index].is_of_kernel):
                continue
            where = self.say.launch.places.name_of(0, address)
            what = "writes" if changes else "reads"
            since = "" if changes else ", which an earlier launch wrote,"
            self.say.add(
                "dependent launch",
                f"Thread {self.say.thread(note.warp, note.lanes)} of block {self.say.block(note.block)} {what} {where}"
                f"{self.say.at(note.pc)}{since} before griddepcontrol.wait.",
                note.pc,
                self._wait_pc(),
                address=where,
            )
            return

    def _wait_pc(self) -> int:
        rows = self.launch.module.rows
        return int(np.flatnonzero((rows[:, row.OPCODE] == op.FENCE) & (rows[:, row.KIND] == op.ORDER_GRID_WAIT))[0])

    def _index(self, address: int) -> int | None:
        index = int(np.searchsorted(self._starts, address, side="right")) - 1
        if index < 0:
            return None
        allocation: Allocation = self.allocations[index]
        return index if address < allocation.address + allocation.nbytes else None

    def _table(self, index: int) -> Int32s:
        if index not in self.writes:
            self.writes[index] = np.zeros(-(-self.allocations[index].nbytes // PIECE_BYTES) + 1, np.int32)
        return self.writes[index]
