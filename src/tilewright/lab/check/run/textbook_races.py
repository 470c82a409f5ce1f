"""Recognizes benign races of textbook code, from what the instructions do with the values they read and write.

Formally they are still races, for which the programming model promises nothing, so they become notes with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.machine.module import LoadedModule
from tilewright.emulate.observers import Finding
from tilewright.lab.instructions import LOADS, OPERANDS, STORES, Definition, Instructions

_CAS = op.ATOMIC_OPERATIONS.index("cas")
_COPIES = ("mov", "cvt", "ext", "pack", "unpack")
_SLOTS = (*OPERANDS, row.EXTRA_1, row.EXTRA_2, row.EXTRA_3)

FIRST_GUESS = (
    "It is the first guess of a compare-and-swap: if another thread changes the place in between, the swap fails and "
    "is tried again with what is there."
)
LAST_RESETS = (
    "The thread that writes it was chosen by the result of an atomic as the last one: no other comes to it any more."
)
EARLY_STOP = (
    "All threads write the same constant, and who reads it only decides by it whether to go on: a thread that sees it "
    "late does more than it must."
)


def excused(findings: Iterable[Finding], module: LoadedModule, kernel: str) -> list[Finding]:
    """Return the findings, with benign races of textbook code as notes."""
    known: _Idioms | None = None
    results = []
    for finding in findings:
        pairs = finding.details.get("instructions")
        if finding.kind == "race" and finding.severity == "error" and isinstance(pairs, list):
            known = known or _Idioms(module, kernel)
            reason = known.reason(pairs, is_apart=not finding.details.get("same_block"))
            if reason:
                finding = _noted(finding, reason)  # noqa: PLW2901
        results.append(finding)
    return results


def _noted(finding: Finding, reason: str) -> Finding:
    return replace(
        finding,
        severity="note",
        message=f"{finding.message} {reason}",
        advice="Formally it is a race; make it volatile or atomic, and it is none.",
    )


class _Idioms:
    """Finds idioms in the instructions of a kernel."""

    def __init__(self, module: LoadedModule, kernel: str) -> None:
        self._code = Instructions(module, kernel)

    def reason(self, pairs: list[tuple[int, int]], *, is_apart: bool) -> str:
        """Return why a race between these pairs of rows is benign; empty if it may not be."""
        if not all(self._code.holds(pc) for pair in pairs for pc in pair):
            return ""
        if all(self._is_first_guess(*pair) or self._is_first_guess(*reversed(pair)) for pair in pairs):
            return FIRST_GUESS
        if all(self._is_reset(*pair) or self._is_reset(*reversed(pair)) for pair in pairs):
            return LAST_RESETS
        if is_apart and all(self._is_early_stop(*pair) or self._is_early_stop(*reversed(pair)) for pair in pairs):
            return EARLY_STOP
        return ""

    def _is_first_guess(self, load: int, atomic: int) -> bool:
        """Return whether the loaded value is used only by a compare-and-swap that may fail, first as its comparand."""
        if not self._is(load, LOADS) or not self._is_swap(atomic):
            return False
        compared = {source for source, _ in self._copied_from(atomic, self._code.rows[atomic][row.OPERAND_B])}
        return load in compared and all(
            self._is_test(user) or (self._is_swap(user) and column != row.OPERAND_A)
            for user, column in self._ends_of((load, 0))
        )

    def _is_reset(self, store: int, atomic: int) -> bool:
        """Return whether a constant is stored only after a branch on an atomic's result."""
        if not self._is(store, STORES) or not self._is(atomic, (op.ATOMIC,)) or not self._stores_constant(store):
            return False
        return any(self._depends_on_atomic(branch) for branch in self._deciding(store))

    def _is_early_stop(self, load: int, store: int) -> bool:
        if not self._is(load, (op.LOAD_GLOBAL,)) or not self._is(store, (op.STORE_GLOBAL,)):
            return False
        if not self._stores_constant(store) or self._comes_again(load):
            return False
        return all(self._is_test(user) for user, _ in self._ends_of((load, 0)))

    def _is(self, pc: int, opcodes: Iterable[int]) -> bool:
        return self._code.rows[pc][row.OPCODE] in opcodes

    def _is_swap(self, pc: int) -> bool:
        return self._is(pc, (op.ATOMIC,)) and self._code.rows[pc][row.IMMEDIATE] == _CAS

    def _is_test(self, pc: int) -> bool:
        return self._code.key(pc).startswith("setp")

    def _stores_constant(self, store: int) -> bool:
        registers = [self._code.register(store, n, is_store=True) for n in range(self._code.elements(store))]
        sources = [source for slot in registers if slot > 0 for source, _ in self._copied_from(store, slot)]
        return all(slot < 0 for slot in registers) or (bool(sources) and all(map(self._is_constant, sources)))

    def _is_constant(self, pc: int) -> bool:
        return self._code.key(pc) == "mov" and all(slot < 0 for slot in self._code.operands(pc))

    def _copied_from(self, pc: int, slot: int) -> list[Definition]:
        """Return the definitions whose value a register holds (through copies) when a row reads it."""
        found: list[Definition] = []
        todo, seen = [(pc, slot)], set()
        while todo:
            current = todo.pop()
            if current in seen or current[1] <= 0:
                continue
            seen.add(current)
            for source, number in self._code.reaching(*current):
                inner = [each for each in self._code.operands(source) if each > 0]
                if self._code.key(source) in _COPIES and inner:
                    todo += [(source, each) for each in inner]
                else:
                    found.append((source, number))
        return found

    @cached_property
    def _users(self) -> dict[Definition, list[tuple[int, int]]]:
        """The rows and columns that read each definition."""
        found: dict[Definition, list[tuple[int, int]]] = {}
        for pc in range(self._code.entry, self._code.end):
            values = self._code.rows[pc]
            is_vector = bool(self._code.key(pc))
            slots = dict.fromkeys(self._code.operands(pc)) if is_vector else {values[c]: None for c in _SLOTS}
            for slot in slots:
                if slot > 0 and slot in self._code.definitions:
                    column = next((c for c in _SLOTS if values[c] == slot), row.OPERAND_A)
                    for definition in self._code.reaching(pc, slot):
                        found.setdefault(definition, []).append((pc, column))
        return found

    def _ends_of(self, definition: Definition) -> Iterator[tuple[int, int]]:
        """Yield where a value ends up, through any arithmetic: row and column."""
        todo, seen = [definition], set()
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            for user, column in self._users.get(current, ()):
                if self._code.key(user) and not self._is_test(user):
                    todo += [(user, 0), (user, 1)]
                else:
                    yield user, column

    def _deciding(self, pc: int) -> list[int]:
        """Return the branches with a side that never reaches a row, and the row's own guard."""
        found = [pc] if self._code.rows[pc][row.GUARD] else []
        for branch in range(self._code.entry, self._code.end):
            ways = self._code.successors(branch)
            if self._is(branch, (op.BRANCH,)) and len(ways) == 2 and len({self._leads(way, pc) for way in ways}) == 2:
                found.append(branch)
        return found

    def _leads(self, start: int, target: int) -> bool:
        todo, seen = [start], set()
        while todo:
            current = todo.pop()
            if current == target:
                return True
            if current not in seen:
                seen.add(current)
                todo += self._code.successors(current)
        return False

    def _comes_again(self, pc: int) -> bool:
        return any(self._leads(following, pc) for following in self._code.successors(pc))

    def _depends_on_atomic(self, branch: int) -> bool:
        """Whether a branch's condition comes from an atomic's result, through shared memory too."""
        return self._comes_from_atomic([(branch, self._code.rows[branch][row.GUARD])])

    def _comes_from_atomic(self, todo: list[Definition]) -> bool:
        seen: set[Definition] = set()
        while todo:
            current = todo.pop()
            if current in seen or current[1] <= 0:
                continue
            seen.add(current)
            for source, _ in self._code.reaching(*current):
                values = self._code.rows[source]
                if self._is(source, (op.ATOMIC,)):
                    return True
                if self._is(source, (op.LOAD_SHARED, op.LOAD_GENERIC)):
                    todo += self._stored_where(source)
                todo += [(source, values[column]) for column in _SLOTS if values[column] > 0 and self._code.key(source)]
        return False

    def _stored_where(self, load: int) -> list[Definition]:
        """Return the values stored to the address that a load of shared memory reads."""
        place = tuple(self._code.rows[load][column] for column in (row.OPERAND_A, row.IMMEDIATE))
        return [
            (pc, self._code.register(pc, 0, is_store=True))
            for pc in range(self._code.entry, self._code.end)
            if self._is(pc, (op.STORE_SHARED,))
            and tuple(self._code.rows[pc][column] for column in (row.OPERAND_A, row.IMMEDIATE)) == place
        ]
