"""Where a kernel's numbers come from, read from its instructions: sums, what goes into them, what a store writes.

A running sum is what a store to global memory writes, followed back through arithmetic to the loop that builds it. The
instructions of that loop are its updates (fused multiply-adds, usually); the other operands lead back to loads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.arithmetic import TABLE
from tilewright.emulate.module import LoadedModule

LOADS = (op.LOAD_GLOBAL, op.LOAD_SHARED, op.LOAD_LOCAL, op.LOAD_CONSTANT, op.LOAD_GENERIC)
STORES = (op.STORE_GLOBAL, op.STORE_SHARED, op.STORE_LOCAL, op.STORE_GENERIC)
TOLD = (*LOADS, *STORES, op.ATOMIC, op.BARRIER, op.EXIT)
"""Instructions that observers are told of."""
COPIES = ("mov", "ext", "cvt", "selp", "flush", "saturate", "unpack", "pack")
SUMS = ("fma", "mad", "add", "sub", "min", "max")
CARRIES = (*COPIES, *SUMS, "mul", "neg", "abs")
OPERANDS = (row.OPERAND_A, row.OPERAND_B, row.OPERAND_C, row.OPERAND_D)
MOST_PATHS = 64

Load = tuple[int, int]
"""A load's row and the element of a vector load."""


@dataclass(frozen=True)
class Update:
    """An instruction that adds to a sum. result: its slot. factors: for each other operand, the loads behind it."""

    pc: int
    result: int
    is_wide: bool
    is_float: bool
    factors: tuple[tuple[Load, ...], ...]


class Dataflow:
    """The instructions of one kernel (rows `entry` to `end` of its module)."""

    def __init__(self, module: LoadedModule, kernel: str) -> None:
        self.rows = [[int(value) for value in each] for each in module.rows]
        entries = sorted(function.entry for function in module.code.functions.values())
        self.entry = module.code.functions[kernel].entry
        later = [entry for entry in entries if entry > self.entry]
        self.end = later[0] if later else len(module.code.rows)
        self.tables = module.code.tables
        self._paths: dict[tuple[int, int], tuple[int, ...] | None] = {}
        self.definitions: dict[int, list[Load]] = defaultdict(list)
        for pc in range(self.entry, self.end):
            for number, slot in enumerate(self._results(pc)):
                self.definitions[slot].append((pc, number))

    # What an instruction reads, writes, and where it leads

    def _key(self, pc: int) -> str:
        opcode = self.rows[pc][row.OPCODE]
        return TABLE[opcode].key.partition(".")[0] if opcode < len(TABLE) else ""

    def _results(self, pc: int) -> list[int]:
        values = self.rows[pc]
        opcode = values[row.OPCODE]
        if opcode < len(TABLE):
            return [values[row.RESULT], values[row.EXTRA_1]][: len(TABLE[opcode].results)]
        if opcode in LOADS:
            return [self._register(pc, element, is_store=False) for element in range(self._elements(pc))]
        return [values[row.RESULT]] if values[row.RESULT] > 0 else []

    def _operands(self, pc: int) -> list[int]:
        values = self.rows[pc]
        opcode = values[row.OPCODE]
        if opcode >= len(TABLE):
            return []
        count = sum(kind not in ("imm", "p") for kind in TABLE[opcode].operands)
        return [values[column] for column in OPERANDS[:count]]

    def _elements(self, pc: int) -> int:
        return (self.rows[pc][row.KIND] >> op.VECTOR_SHIFT) & op.VECTOR_MASK

    def _register(self, pc: int, element: int, *, is_store: bool) -> int:
        first = row.OPERAND_C if is_store else row.RESULT
        return self.rows[pc][row.EXTRA_1 + element - 1 if element else first]

    def _next(self, pc: int) -> list[int]:
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

    def _is_told(self, pc: int) -> bool:
        values = self.rows[pc]
        return values[row.OPCODE] in TOLD and not (
            values[row.OPCODE] in (*LOADS, *STORES) and values[row.KIND] & op.FRAME_RELATIVE
        )

    # Sums

    @cached_property
    def sums(self) -> list[list[Update]]:
        """The running sums: each the updates of one, in the order of the code."""
        groups: list[set[int]] = []
        for pc in range(self.entry, self.end):
            if self.rows[pc][row.OPCODE] in (op.STORE_GLOBAL, op.STORE_GENERIC):
                for element in range(self._elements(pc)):
                    chain = self._chain(self._register(pc, element, is_store=True))
                    shared = [group for group in groups if group & chain]
                    groups = [group for group in groups if not group & chain]
                    if chain:
                        groups.append(chain.union(*shared))
        found = [[self._update(pc, group) for pc in sorted(group) if self._key(pc) in SUMS] for group in groups]
        return [updates for updates in found if updates]

    def _chain(self, slot: int) -> set[int]:
        """Return the rows that a stored register's sum goes through; none where no sum is found."""
        sources = self._sources_behind(slot)
        cyclic = {pc for pc in sources if self._reaches_itself(pc, sources)}
        if not cyclic:
            return self._straight_chain(slot)
        known: dict[int, bool] = dict.fromkeys(cyclic, True)
        changed = True
        while changed:
            changed = False
            for pc, behind in sources.items():
                if pc not in known and any(known.get(other) for other in behind):
                    known[pc] = changed = True
        return set(known)

    def _sources_behind(self, slot: int) -> dict[int, set[int]]:
        """Return the arithmetic that a register comes from: for each row, the rows that its operands come from."""
        todo = [pc for pc, _ in self.definitions[slot]]
        found: dict[int, set[int]] = {}
        while todo:
            pc = todo.pop()
            if pc in found or self._key(pc) not in CARRIES:
                continue
            behind = {d for operand in self._operands(pc) if operand > 0 for d, _ in self.definitions[operand]}
            found[pc] = {d for d in behind if self._key(d) in CARRIES}
            todo += found[pc]
        return found

    @staticmethod
    def _reaches_itself(start: int, sources: dict[int, set[int]]) -> bool:
        todo, seen = list(sources[start]), set()
        while todo:
            pc = todo.pop()
            if pc == start:
                return True
            if pc not in seen:
                seen.add(pc)
                todo += sources.get(pc, ())
        return False

    def _straight_chain(self, slot: int) -> set[int]:
        """Return a chain without a loop: from addend to addend of multiply-adds and additions."""
        chain: set[int] = set()
        while True:
            rows = [pc for pc, _ in self.definitions[slot] if pc not in chain]
            if len(rows) != 1 or self._key(rows[0]) not in (*COPIES, *SUMS):
                return chain
            chain.add(rows[0])
            operands = self._operands(rows[0])
            if self._key(rows[0]) in ("add", "sub"):
                behind = [o for o in operands if any(self._key(d) in SUMS for d, _ in self.definitions[o])]
                operands = behind or operands
                slot = operands[0]
            else:
                slot = operands[-1]

    def _update(self, pc: int, chain: set[int]) -> Update:
        operands = [o for o in self._operands(pc) if not any(d in chain for d, _ in self.definitions.get(o, ()))]
        at = pc
        if self._key(pc) in ("add", "sub") and len(operands) == 1:
            product = self._product_behind(operands[0])
            at, operands = product or (at, operands)
        kind = TABLE[self.rows[pc][row.OPCODE]].results[0]
        factors = tuple(self.loads_behind(at, operand) for operand in operands)
        return Update(pc, self.rows[pc][row.RESULT], kind.endswith("64"), kind.startswith("f"), factors)

    def _product_behind(self, slot: int) -> tuple[int, list[int]] | None:
        """Return the row and the factors where a register is a product, as without fused multiply-adds."""
        rows = [pc for pc, _ in self.definitions.get(slot, ())]
        return (rows[0], self._operands(rows[0])) if len(rows) == 1 and self._key(rows[0]) == "mul" else None

    def loads_behind(self, pc: int, slot: int) -> tuple[Load, ...]:
        """Return the loads that a register's value comes from when row `pc` reads it, through any arithmetic."""
        found: list[Load] = []
        todo, seen = [(pc, slot)], set()
        while todo:
            current = todo.pop(0)
            if current[1] <= 0 or current in seen:
                continue
            seen.add(current)
            for source, number in self._reaching(*current):
                if self.rows[source][row.OPCODE] in LOADS:
                    found.append((source, number))
                elif self._key(source) in CARRIES:
                    todo += [(source, operand) for operand in self._operands(source)]
        return tuple(dict.fromkeys(found))

    def _reaching(self, pc: int, slot: int) -> list[Load]:
        """Return the definitions of a register that row `pc` may read."""
        defined = dict(self.definitions.get(slot, ()))
        found: list[Load] = []
        seen: set[int] = set()
        todo = list(self._predecessors[pc])
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            if current in defined:
                found.append((current, defined[current]))
            if current not in defined or self.rows[current][row.GUARD]:
                todo += self._predecessors[current]
        return sorted(found)

    def loads_behind_store(self, pc: int) -> tuple[Load, ...]:
        """Return the loads that a store's values come from."""
        slots = [self._register(pc, element, is_store=True) for element in range(self._elements(pc))]
        return tuple(dict.fromkeys(load for slot in slots for load in self.loads_behind(pc, slot)))

    def is_copy(self, pc: int) -> bool:
        """Say whether a store writes what a load brought, or a constant, as it is."""
        todo = [(pc, self._register(pc, element, is_store=True)) for element in range(self._elements(pc))]
        seen = set()
        while todo:
            current = todo.pop()
            if current[1] <= 0 or current in seen:
                continue
            seen.add(current)
            for source, _ in self._reaching(*current):
                if self._key(source) in ("mov", "selp"):
                    todo += [(source, operand) for operand in self._operands(source)]
                elif self.rows[source][row.OPCODE] not in LOADS:
                    return False
        return True

    # Updates between what observers are told of

    @cached_property
    def updates(self) -> dict[int, tuple[int, Update]]:
        """Every update by its row, with the number of its sum."""
        return {update.pc: (number, update) for number, updates in enumerate(self.sums) for update in updates}

    def updates_before(self, pc: int) -> list[Update]:
        """Return the updates that may have run since the last instruction that observers were told of."""
        found, seen, todo = set(), set(), list(self._predecessors[pc])
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            if current in self.updates:
                found.add(current)
            if not self._is_told(current):
                todo += self._predecessors[current]
        return [self.updates[current][1] for current in sorted(found)]

    @cached_property
    def told(self) -> list[int]:
        """The rows that observers are told of."""
        return [pc for pc in range(self.entry, self.end) if self._is_told(pc)]

    @cached_property
    def _predecessors(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for pc in range(self.entry, self.end):
            for following in self._next(pc):
                found[following].append(pc)
        return found

    def updates_between(self, first: int, last: int) -> tuple[int, ...] | None:
        """Return the updates that ran from one told row (-1: the start) to the next one; None where paths differ."""
        if (first, last) not in self._paths:
            starts = [self.entry] if first < 0 else self._next(first)
            found = set(self._sequences(starts, last))
            self._paths[first, last] = found.pop() if len(found) == 1 else None
        return self._paths[first, last]

    def _sequences(self, starts: Sequence[int], last: int) -> Iterable[tuple[int, ...]]:
        todo: list[tuple[int, tuple[int, ...], frozenset[int]]] = [(pc, (), frozenset()) for pc in starts]
        arrived = 0
        while todo and arrived < MOST_PATHS:
            pc, updates, passed = todo.pop()
            # Straight stretches need no memory of where one has been.
            while pc != last and not self._is_told(pc) and len(following := self._next(pc)) == 1 and following[0] > pc:
                if pc in self.updates:
                    updates = (*updates, pc)
                pc = following[0]
            if pc == last:
                arrived += 1
                yield updates
            elif not self._is_told(pc) and pc not in passed:
                updates = (*updates, pc) if pc in self.updates else updates
                todo += [(following, updates, passed | {pc}) for following in self._next(pc)]
