"""The emulator's instructions of a kernel: what each reads and writes, and its successors."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.arithmetic.table import TABLE
from tilewright.emulate.execute.scalar_operations import CONVERT
from tilewright.emulate.execute.warp_sync import SHUFFLE_INDEX
from tilewright.emulate.machine.module import LoadedModule

LOADS = (op.LOAD_GLOBAL, op.LOAD_SHARED, op.LOAD_LOCAL, op.LOAD_CONSTANT, op.LOAD_GENERIC)
STORES = (op.STORE_GLOBAL, op.STORE_SHARED, op.STORE_LOCAL, op.STORE_GENERIC)
TOLD = (*LOADS, *STORES, op.ATOMIC, op.HALF_ATOMIC, op.BARRIER, op.EXIT, op.WARP_SYNC)
"""Instructions that observers are told of."""
OPERANDS = (row.OPERAND_A, row.OPERAND_B, row.OPERAND_C, row.OPERAND_D)

Definition = tuple[int, int]
"""A row, and which of its results: for a load, the element of a vector."""


class Instructions:
    """The rows `entry` to `end` of a module. definitions: of each register (slot), where it is written."""

    def __init__(self, module: LoadedModule, kernel: str) -> None:
        self.rows = [[int(value) for value in each] for each in module.rows]
        entries = sorted(function.entry for function in module.code.functions.values())
        self.entry = module.code.functions[kernel].entry
        later = [entry for entry in entries if entry > self.entry]
        self.end = later[0] if later else len(module.code.rows)
        self.tables = module.code.tables
        self._reaching: dict[Definition, list[Definition]] = {}
        self.definitions: dict[int, list[Definition]] = defaultdict(list)
        for pc in range(self.entry, self.end):
            for number, slot in enumerate(self._results(pc)):
                self.definitions[slot].append((pc, number))

    def holds(self, pc: int) -> bool:
        """Return whether a row is the kernel's own, not that of a called function."""
        return self.entry <= pc < self.end

    def key(self, pc: int) -> str:
        """Return what a vector instruction or a conversion does: `fma`, `mov`, `cvt`; empty for any other."""
        opcode = self.rows[pc][row.OPCODE]
        if self._is_conversion(pc):
            return "cvt"
        return TABLE[opcode].key.partition(".")[0] if opcode < len(TABLE) else ""

    def _is_conversion(self, pc: int) -> bool:
        """Say whether a row converts a number lane by lane, as to and from types of 16 bits."""
        return self.rows[pc][row.OPCODE] == op.SCALAR and self.rows[pc][row.KIND] == CONVERT

    def _results(self, pc: int) -> list[int]:
        values = self.rows[pc]
        opcode = values[row.OPCODE]
        if opcode < len(TABLE):
            return [values[row.RESULT], values[row.EXTRA_1]][: len(TABLE[opcode].results)]
        if opcode in LOADS:
            return [self.register(pc, element, is_store=False) for element in range(self.elements(pc))]
        return [values[row.RESULT]] if values[row.RESULT] > 0 else []

    def operands(self, pc: int) -> list[int]:
        """Return the slots that an instruction with a key reads, predicates left out; constants are negative."""
        values = self.rows[pc]
        if self._is_conversion(pc):
            return [values[row.OPERAND_A]]
        opcode = values[row.OPCODE]
        if opcode >= len(TABLE):
            return []
        count = sum(kind not in ("imm", "p") for kind in TABLE[opcode].operands)
        return [values[column] for column in OPERANDS[:count]]

    def elements(self, pc: int) -> int:
        """Return how many elements an access moves per lane."""
        return (self.rows[pc][row.KIND] >> op.VECTOR_SHIFT) & op.VECTOR_MASK

    def register(self, pc: int, element: int, *, is_store: bool) -> int:
        """Return the slot that an access loads an element into, or stores it from."""
        first = row.OPERAND_C if is_store else row.RESULT
        return self.rows[pc][row.EXTRA_1 + element - 1 if element else first]

    def successors(self, pc: int) -> list[int]:
        """Return the rows that may run next."""
        values = self.rows[pc]
        opcode, behind = values[row.OPCODE], [pc + 1] if pc + 1 < self.end else []
        if opcode == op.BRANCH:
            return [values[row.TARGET], *(behind if values[row.GUARD] else [])]
        if opcode == op.BRANCH_TABLE:
            first = values[row.IMMEDIATE]
            return [*self.tables[first : first + values[row.KIND]], *(behind if values[row.GUARD] else [])]
        if opcode in (op.EXIT, op.RETURN, op.TRAP):
            return behind if values[row.GUARD] else []
        return behind

    def is_told(self, pc: int) -> bool:
        """Say whether observers are told of a row."""
        values = self.rows[pc]
        return values[row.OPCODE] in TOLD and not (
            values[row.OPCODE] in (*LOADS, *STORES) and values[row.KIND] & op.FRAME_RELATIVE
        )

    def is_shuffle(self, pc: int) -> bool:
        """Say whether a row is a shuffle."""
        values = self.rows[pc]
        return values[row.OPCODE] == op.WARP_SYNC and values[row.KIND] <= SHUFFLE_INDEX

    @cached_property
    def told(self) -> list[int]:
        """The rows that observers are told of."""
        return [pc for pc in range(self.entry, self.end) if self.is_told(pc)]

    @cached_property
    def predecessors(self) -> dict[int, list[int]]:
        """The rows that may have run before each."""
        found: dict[int, list[int]] = defaultdict(list)
        for pc in range(self.entry, self.end):
            for following in self.successors(pc):
                found[following].append(pc)
        return found

    def reaching(self, pc: int, slot: int) -> list[Definition]:
        """Return the definitions of a register that row `pc` may read."""
        if (pc, slot) not in self._reaching:
            self._reaching[pc, slot] = self._found_behind(pc, slot)
        return self._reaching[pc, slot]

    def _found_behind(self, pc: int, slot: int) -> list[Definition]:
        defined = dict(self.definitions.get(slot, ()))
        found: list[Definition] = []
        seen: set[int] = set()
        todo = list(self.predecessors[pc])
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            if current in defined:
                found.append((current, defined[current]))
            if current not in defined or self.rows[current][row.GUARD]:
                todo += self.predecessors[current]
        return sorted(found)
