"""A kernel's slice: the rows that decide what it counts, for launches of which nothing but counts is wanted.

Counts depend on which lanes execute what, and on addresses. So a row is kept if it feeds an address, a predicate, a
branch, a barrier or another synchronization, through registers or through memory; of every other row only the execution
is counted. What a kernel calls, prints or asserts is not followed: such kernels have no slice.

The walk is backwards and does not look at the order of rows: a register that one row needs is needed of all that write
it, and so is a memory of which one load is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.arithmetic.table import COUNT, TABLE
from tilewright.emulate.ptx.encoded_module import FunctionCode, ModuleCode
from tilewright.emulate.ptx.slots import OPERANDS, touched_slots
from tilewright.emulate.state import Int32s, Int64s

GLOBAL, SHARED, LOCAL = 1, 2, 4
_READS = {
    op.LOAD_GLOBAL: GLOBAL,
    op.LOAD_SHARED: SHARED,
    op.LOAD_LOCAL: LOCAL,
    op.LOAD_GENERIC: GLOBAL | SHARED | LOCAL,
    op.LOAD_MATRIX: SHARED,
}
_WRITES = {
    op.STORE_GLOBAL: GLOBAL,
    op.STORE_SHARED: SHARED,
    op.STORE_LOCAL: LOCAL,
    op.STORE_GENERIC: GLOBAL | SHARED | LOCAL,
    op.STORE_MATRIX: SHARED,
}
_UPDATES = (op.ATOMIC, op.HALF_ATOMIC)
_COPIES = (op.ASYNC_COPY, op.BULK_COPY)
_PRODUCTS = (op.MULTIPLY_MATRICES, op.MULTIPLY_FLOAT64)
_NOT_FOLLOWED = (op.CALL, op.CALL_INDIRECT, op.RETURN, op.PRINT, op.ASSERT, op.UNSUPPORTED)
_VALUES_ALONE = (op.SCALAR, op.SPECIAL, op.SPACE_TEST, op.LOCAL_ADDRESS, op.TURN_MATRIX, *_PRODUCTS)
"""What executes without a trace but in its results, as every row of arithmetic/table.py does."""


def slice_of(code: ModuleCode, function: FunctionCode, rows: Int32s) -> Int32s | None:
    """Return a module's rows with those of a kernel as its counts need them; None for a kernel that has no slice."""
    end = min((f.entry for f in code.functions.values() if f.entry > function.entry), default=len(code.rows))
    own = rows[function.entry : end]
    if np.isin(own[:, row.OPCODE], _NOT_FOLLOWED).any():
        return None
    sliced = rows.copy()
    sliced[function.entry : end] = _Slice(code, own).cut()
    return sliced


def spread_counts(rows: Int32s, counters: Int64s) -> None:
    """Give each row of a slice its own count, in place: a run of counted rows was counted where it begins."""
    lengths = np.where(rows[:, row.OPCODE] == COUNT, rows[:, row.IMMEDIATE], 0)
    for number in np.flatnonzero(lengths[:-1] > 1):
        counters[number + 1, :2] += counters[number, :2]


class _Slice:
    """The rows of one kernel, and which slots and memories they need."""

    def __init__(self, code: ModuleCode, rows: Int32s) -> None:
        self.code, self.rows = code, rows
        self.opcodes = rows[:, row.OPCODE]
        touched = touched_slots(code, rows.astype(np.int64))
        self.written = [self._named(touched.written, number) for number in range(len(rows))]
        self.read = [self._named(touched.read, number) for number in range(len(rows))]
        self.slots: set[int] = set()
        self.memories = 0

    def _named(self, touched: Int64s, number: int) -> set[int]:
        """The slots of a row that are read or written, constants apart."""
        columns = np.flatnonzero(touched[number])
        return {int(slot) for slot in self.rows[number, columns] if slot >= 0}

    def cut(self) -> Int32s:
        """Find what is needed, and return the rows that execute it."""
        kept = np.zeros(len(self.rows), bool)
        while self._keep_more(kept):
            pass
        return self._as_rows(kept)

    def _keep_more(self, kept: NDArray[np.bool_]) -> bool:
        """Walk backwards once; return whether there is more to find."""
        before = len(self.slots), self.memories
        for number in range(len(self.rows) - 1, -1, -1):
            self.slots.add(int(self.rows[number, row.GUARD]))
            opcode = int(self.opcodes[number])
            is_needed = not self.slots.isdisjoint(self.written[number] or self._targets(number))
            kept[number] = is_needed or not (opcode < len(TABLE) or opcode in _VALUES_ALONE)
            if kept[number]:
                self._need(number, opcode, is_needed)
        return before != (len(self.slots), self.memories)

    def _targets(self, number: int) -> set[int]:
        """The registers of a product of matrices, which a table names: more than it writes does no harm."""
        if self.opcodes[number] not in _PRODUCTS:
            return set()
        first = int(self.rows[number, row.IMMEDIATE])
        return {slot for slot in self.code.tables[first : first + op.FLOAT64_SLOTS] if slot >= 0}

    def _need(self, number: int, opcode: int, is_needed: bool) -> None:
        """Add what a row needs that is kept; is_needed: one of its results is."""
        read = self.read[number]
        if opcode in _READS:
            self.memories |= _READS[opcode] if is_needed else 0
        elif opcode in _WRITES:
            if not self.memories & _WRITES[opcode]:
                read = {int(self.rows[number, row.OPERAND_A])}
        elif opcode in _UPDATES:
            self.memories |= GLOBAL | SHARED if is_needed else 0
            if not self.memories & (GLOBAL | SHARED):
                read = {int(self.rows[number, row.OPERAND_A])}
        elif opcode in _COPIES:
            self.memories |= GLOBAL | SHARED if self.memories & (GLOBAL | SHARED) else 0
            first = int(self.rows[number, row.IMMEDIATE])
            read = read | (set(self.code.tables[first : first + op.BULK_SLOTS]) if opcode == op.BULK_COPY else set())
        elif opcode == op.WARPGROUP_MULTIPLY:
            if not self.slots.isdisjoint(sums := self._sums(number)):
                self.memories |= SHARED
                read = read | sums
        elif opcode == op.WARP_SYNC and not is_needed and self._is_exchange(number):
            read = {int(self.rows[number, column]) for column in OPERANDS[1:]}
        self.slots |= {slot for slot in read | self._targets(number) if slot >= 0}

    def _sums(self, number: int) -> set[int]:
        """The registers of a `wgmma`, those of A with them, and some of the next one's."""
        first, columns = int(self.rows[number, row.IMMEDIATE]), int(self.rows[number, row.EXTRA_1])
        return {slot for slot in self.code.tables[first : first + columns // 2 + 4] if slot >= 0}

    def _is_exchange(self, number: int) -> bool:
        """Whether a synchronization of the warp only moves values: a shuffle, or a reduction."""
        return op.WARP_OPERATIONS[int(self.rows[number, row.KIND])].startswith(("shfl", "redux"))

    def _as_rows(self, kept: NDArray[np.bool_]) -> Int32s:
        rows = self.rows.copy()
        length, guard = 0, (0, 0)
        for number in range(len(rows) - 1, -1, -1):
            own_guard = int(rows[number, row.GUARD]), int(rows[number, row.GUARD_FLIP])
            if kept[number]:
                length = 0
                self._stop_moving(number, rows[number])
                continue
            length = length + 1 if own_guard == guard else 1
            guard = own_guard
            rows[number, row.OPCODE], rows[number, row.IMMEDIATE] = COUNT, length
        return rows

    def _stop_moving(self, number: int, line: Int32s) -> None:
        """Let a row move nothing that nobody needs."""
        opcode = int(line[row.OPCODE])
        if opcode == op.WARPGROUP_MULTIPLY and self.slots.isdisjoint(self._sums(number)):
            line[row.KIND] |= op.MATRIX_ONLY_COUNTED
        elif opcode in _WRITES:
            line[row.KIND] |= 0 if self.memories & _WRITES[opcode] else op.ONLY_COUNTED
        elif opcode in _READS or opcode == op.LOAD_CONSTANT:
            line[row.KIND] |= op.ONLY_COUNTED if self.slots.isdisjoint(self.written[number]) else 0
