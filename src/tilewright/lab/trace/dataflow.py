"""Static dataflow of a kernel: its running sums, their updates, and the loads behind each value.

A running sum is found from a store to global memory, back through arithmetic to the loop that accumulates it. The
instructions of that loop are its updates (usually fused multiply-adds); their other operands lead back to loads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.arithmetic.table import TABLE
from tilewright.emulate.machine.module import LoadedModule
from tilewright.lab.instructions import LOADS, Definition, Instructions

COPIES = ("mov", "ext", "cvt", "selp", "flush", "saturate", "unpack", "pack")
SUMS = ("fma", "mad", "add", "sub", "min", "max")
PLAIN = (*COPIES, "add")
CARRIES = (*COPIES, *SUMS, "mul", "neg", "abs")
MOST_PATHS = 64


@dataclass(frozen=True)
class Update:
    """An instruction that adds to a sum. result: its slot. factors: the loads behind each other operand.

    is_mixed: whether a factor is more than a sum of loads, as in `a * b + c * d`.
    """

    pc: int
    result: int
    is_wide: bool
    is_float: bool
    factors: tuple[tuple[Definition, ...], ...]
    is_mixed: bool = False


class Dataflow(Instructions):
    """The running sums of a kernel, and the loads behind its values."""

    def __init__(self, module: LoadedModule, kernel: str) -> None:
        super().__init__(module, kernel)
        self._paths: dict[tuple[int, int], tuple[int, ...] | None] = {}

    @cached_property
    def sums(self) -> list[list[Update]]:
        """The updates of each running sum, in the order of the code.

        These are the sums stored to global memory; if there are none, those that loops store to shared memory.
        """
        to_global = self._sums_of((op.STORE_GLOBAL, op.STORE_GENERIC), self._chain)
        return to_global or self._sums_of((op.STORE_SHARED,), self._looping_chain)

    def _sums_of(self, stores: Sequence[int], chain_of: Callable[[int, int], set[int]]) -> list[list[Update]]:
        groups: list[set[int]] = []
        for pc in range(self.entry, self.end):
            if self.rows[pc][row.OPCODE] in stores:
                for element in range(self.elements(pc)):
                    chain = chain_of(pc, self.register(pc, element, is_store=True))
                    shared = [group for group in groups if group & chain]
                    groups = [group for group in groups if not group & chain]
                    if chain:
                        groups.append(chain.union(*shared))
        found = [[self._update(pc, group) for pc in sorted(group) if self.key(pc) in SUMS] for group in groups]
        return [updates for updates in found if updates]

    def _chain(self, pc: int, slot: int) -> set[int]:
        """Return the rows of a stored register's sum; none if there is no sum."""
        return self._looping_chain(pc, slot) or self._straight_chain(pc, slot)

    def _looping_chain(self, pc: int, slot: int) -> set[int]:
        """Return a chain through a loop, and on to the store."""
        sources = self._sources_behind(pc, slot)
        cyclic = {each for each in sources if self._reaches_itself(each, sources)}
        known: dict[int, bool] = dict.fromkeys(cyclic, True)
        changed = True
        while changed:
            changed = False
            for each, behind in sources.items():
                if each not in known and any(known.get(other) for other in behind):
                    known[each] = changed = True
        return set(known)

    def _sources_behind(self, pc: int, slot: int) -> dict[int, set[int]]:
        """Return the arithmetic behind a register: for each row, the rows that define its operands."""
        todo = [source for source, _ in self.reaching(pc, slot)]
        found: dict[int, set[int]] = {}
        while todo:
            current = todo.pop()
            if current in found or self.key(current) not in CARRIES:
                continue
            behind = {
                d for operand in self.operands(current) if operand > 0 for d, _ in self.reaching(current, operand)
            }
            found[current] = {d for d in behind if self.key(d) in CARRIES}
            todo += found[current]
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

    def _straight_chain(self, pc: int, slot: int) -> set[int]:
        """Return a chain without a loop, of multiply-adds and additions linked by their addends."""
        chain: set[int] = set()
        while True:
            rows = [source for source, _ in self.reaching(pc, slot) if source not in chain]
            if len(rows) != 1 or self.key(rows[0]) not in (*COPIES, *SUMS):
                return chain
            pc = rows[0]
            chain.add(pc)
            operands = self.operands(pc)
            if self.key(pc) in ("add", "sub"):
                behind = [o for o in operands if any(self.key(source) in SUMS for source, _ in self.reaching(pc, o))]
                slot = (behind or operands)[0]
            else:
                slot = operands[-1]

    def _update(self, pc: int, chain: set[int]) -> Update:
        everything = self.operands(pc)
        candidates = everything[:2] if self.key(pc) in ("fma", "mad") else everything
        operands = [o for o in candidates if not any(source in chain for source, _ in self.reaching(pc, o))]
        at = pc
        if self.key(pc) in ("add", "sub") and len(operands) == 1:
            product = self._product_behind(pc, operands[0])
            at, operands = product or (at, operands)
        if len(operands) > 1 and self.key(at) not in ("fma", "mad", "mul"):
            operands = []  # no product, but a sum of its own
        kind = TABLE[self.rows[pc][row.OPCODE]].results[0]
        factors = tuple(self.loads_behind(at, operand) for operand in operands)
        is_mixed = any(self.key(source) not in PLAIN for o in operands for source in self._arithmetic_behind(at, o))
        result = self.rows[pc][row.RESULT]
        return Update(pc, result, kind.endswith("64"), kind.startswith("f"), factors, is_mixed)

    def _product_behind(self, pc: int, slot: int) -> tuple[int, list[int]] | None:
        """Return the row and factors of a product in a register, as in code without fused multiply-adds."""
        rows = [source for source, _ in self.reaching(pc, slot)]
        return (rows[0], self.operands(rows[0])) if len(rows) == 1 and self.key(rows[0]) == "mul" else None

    def gives_floats(self, pc: int) -> bool:
        """Return whether what a shuffle gives is used as a float32: the instruction itself knows bits alone."""
        slots, count = {self.rows[pc][row.RESULT]}, 0
        while len(slots) > count:
            count = len(slots)
            for each in range(self.entry, self.end):
                if slots.intersection(self.operands(each)):
                    opcode = self.rows[each][row.OPCODE]
                    if opcode < len(TABLE) and any(kind.startswith("f") for kind in TABLE[opcode].operands):
                        return True
                    if self.key(each) in COPIES:
                        slots.add(self.rows[each][row.RESULT])
        return False

    def loads_behind(self, pc: int, slot: int) -> tuple[Definition, ...]:
        """Return the loads behind a register's value at row `pc`, through any arithmetic."""
        return tuple(source for source in self._behind(pc, slot) if self.rows[source[0]][row.OPCODE] in LOADS)

    def _arithmetic_behind(self, pc: int, slot: int) -> list[int]:
        """Return the rows of the arithmetic between those loads and row `pc`."""
        return [source for source, _ in self._behind(pc, slot) if self.key(source) in CARRIES]

    def _behind(self, pc: int, slot: int) -> list[Definition]:
        """Return all definitions behind a register's value at row `pc`, the nearest first."""
        found: list[Definition] = []
        todo, seen = [(pc, slot)], set()
        while todo:
            current = todo.pop(0)
            if current[1] <= 0 or current in seen:
                continue
            seen.add(current)
            for source, number in self.reaching(*current):
                found.append((source, number))
                if self.key(source) in CARRIES:
                    todo += [(source, operand) for operand in self.operands(source)]
        return list(dict.fromkeys(found))

    def loads_behind_store(self, pc: int) -> tuple[Definition, ...]:
        """Return the loads behind a store's values."""
        slots = [self.register(pc, element, is_store=True) for element in range(self.elements(pc))]
        return tuple(dict.fromkeys(load for slot in slots for load in self.loads_behind(pc, slot)))

    def is_copy(self, pc: int) -> bool:
        """Return whether a store writes a loaded value or a constant unchanged."""
        todo = [(pc, self.register(pc, element, is_store=True)) for element in range(self.elements(pc))]
        seen = set()
        while todo:
            current = todo.pop()
            if current[1] <= 0 or current in seen:
                continue
            seen.add(current)
            for source, _ in self.reaching(*current):
                if self.key(source) in ("mov", "selp"):
                    todo += [(source, operand) for operand in self.operands(source)]
                elif self.rows[source][row.OPCODE] not in LOADS:
                    return False
        return True

    # Updates between observed instructions

    @cached_property
    def updates(self) -> dict[int, tuple[int, Update]]:
        """Every update by its row, with the number of its sum."""
        return {update.pc: (number, update) for number, updates in enumerate(self.sums) for update in updates}

    def updates_before(self, pc: int) -> list[Update]:
        """Return the updates that may have run since the last observed instruction."""
        found, seen, todo = set(), set(), list(self.predecessors[pc])
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            if current in self.updates:
                found.add(current)
            if not self.is_told(current):
                todo += self.predecessors[current]
        return [self.updates[current][1] for current in sorted(found)]

    def updates_between(self, first: int, last: int) -> tuple[int, ...] | None:
        """Return the updates between two observed rows (-1: the start); None if they depend on the path."""
        if (first, last) not in self._paths:
            starts = [self.entry] if first < 0 else self.successors(first)
            found = set(self._sequences(starts, last))
            self._paths[first, last] = found.pop() if len(found) == 1 else None
        return self._paths[first, last]

    def _sequences(self, starts: Sequence[int], last: int) -> Iterable[tuple[int, ...]]:
        todo: list[tuple[int, tuple[int, ...], frozenset[int]]] = [(pc, (), frozenset()) for pc in starts]
        arrived = 0
        while todo and arrived < MOST_PATHS:
            pc, updates, passed = todo.pop()
            # Straight-line code needs no record of the rows visited.
            while (
                pc != last and not self.is_told(pc) and len(following := self.successors(pc)) == 1 and following[0] > pc
            ):
                if pc in self.updates:
                    updates = (*updates, pc)
                pc = following[0]
            if pc == last:
                arrived += 1
                yield updates
            elif not self.is_told(pc) and pc not in passed:
                updates = (*updates, pc) if pc in self.updates else updates
                todo += [(following, updates, passed | {pc}) for following in self.successors(pc)]
