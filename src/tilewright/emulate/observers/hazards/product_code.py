"""Registers of wgmma, by the paths through a kernel's PTX: touched before their wait, or written without a fence.

No event tells of registers, so that this looks at the instructions. Moves are left out: they are the compiler's, which
may place them anywhere, and no instruction of a GPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.machine.launch import Launch
from tilewright.emulate.machine.module import LoadedModule
from tilewright.emulate.ptx.parser import split_operands

_REGISTER = re.compile(r"%[A-Za-z_$][\w$]*")
_GUARD = re.compile(r"^@!?(%[\w$]+)\s+")
MOST_GROUPS = 16
ENTRY = 1
"""Bit of what no fence has yet come after: the kernel's beginning; the others are registers."""
_WITHOUT_TARGET = ("st", "red", "bra", "ret", "exit", "bar", "barrier", "fence", "membar", "wgmma", "cp", "mbarrier")


@dataclass(frozen=True, slots=True)
class Trouble:
    """A product at `pc`, and the instruction at `other` (-1: the kernel's beginning) that is wrong with it."""

    kind: str
    pc: int
    other: int
    register: str


@dataclass(frozen=True, slots=True)
class _Registers:
    """Of a row, as bits: those that it reads or writes; of a product its sums and its A."""

    reads: int = 0
    writes: int = 0
    sums: int = 0
    of_a: int = 0


_known: WeakKeyDictionary[LoadedModule, list[Trouble]] = WeakKeyDictionary()


def troubles_of(launch: Launch) -> list[Trouble]:
    """Return what is wrong with the registers of a module's products, whichever kernel has them."""
    module = launch.module
    if module not in _known:
        _known[module] = list(_Code(module).troubles()) if op.WARPGROUP_MULTIPLY in module.opcodes else []
    return _known[module]


class _Code:
    """A module's rows with the registers of its products numbered."""

    def __init__(self, module: LoadedModule) -> None:
        self.rows, self.texts = module.code.rows, module.code.texts
        self.entries = [function.entry for function in module.code.functions.values() if function.is_kernel]
        self.products = [pc for pc, columns in enumerate(self.rows) if columns[row.OPCODE] == op.WARPGROUP_MULTIPLY]
        operands = {pc: _operands(self.texts[pc]) for pc in self.products}
        names = sorted({name for texts in operands.values() for text in texts[:2] for name in _REGISTER.findall(text)})
        self.bits = {name: 2 << place for place, name in enumerate(names)}
        self.registers = [self._registers_of(pc) for pc in range(len(self.rows))]

    def _mask(self, text: str) -> int:
        return sum(self.bits.get(name, 0) for name in set(_REGISTER.findall(text)))

    def _registers_of(self, pc: int) -> _Registers:
        text = self.texts[pc]
        operands = _operands(text)
        if self.rows[pc][row.OPCODE] == op.WARPGROUP_MULTIPLY:
            of_a = self._mask(operands[1]) if operands[1].startswith("{") else 0
            return _Registers(sums=self._mask(operands[0]), of_a=of_a)
        name = _GUARD.sub("", text).partition(" ")[0].partition(".")[0]
        if name == "mov" or not operands:
            return _Registers()
        has_target = name not in _WITHOUT_TARGET
        writes = self._mask(operands[0]) if has_target and not operands[0].startswith("[") else 0
        return _Registers(reads=self._mask(",".join(operands[1 if writes else 0 :])), writes=writes)

    def _next(self, pc: int) -> list[int]:
        """Return the rows that may follow one."""
        columns = self.rows[pc]
        opcode, is_guarded = columns[row.OPCODE], columns[row.GUARD] != 0 or columns[row.GUARD_FLIP] != 0
        following = [pc + 1] if pc + 1 < len(self.rows) else []
        if opcode == op.BRANCH:
            return [columns[row.TARGET], *(following if is_guarded else [])]
        if opcode in (op.EXIT, op.RETURN, op.TRAP):
            return following if is_guarded else []
        return following

    def troubles(self) -> Iterator[Trouble]:
        """Yield them."""
        for pc in self.products:
            yield from self._touched(pc)
        yield from self._unfenced()

    def _touched(self, product: int) -> Iterator[Trouble]:
        """Follow every path from a product to the wait that covers it."""
        own = self.registers[product]
        seen: set[tuple[int, int]] = set()
        todo = [(pc, 0) for pc in self._next(product)]
        while todo:
            state = todo.pop()
            if state in seen:
                continue
            seen.add(state)
            pc, closed = state
            columns, here = self.rows[pc], self.registers[pc]
            if columns[row.OPCODE] == op.WARPGROUP_COMMIT:
                closed = min(closed + 1, MOST_GROUPS)
            elif columns[row.OPCODE] == op.WARPGROUP_WAIT and closed > columns[row.IMMEDIATE]:
                continue
            touched = (here.reads | here.writes) & own.sums | here.writes & own.of_a
            if touched:
                yield Trouble("wgmma registers in use", product, pc, self._name(touched))
                return
            todo += [(pc, closed) for pc in self._next(pc)]

    def _unfenced(self) -> Iterator[Trouble]:
        """Follow what was written since the last fence, from each kernel's beginning."""
        before: dict[int, int] = {}
        writers: dict[int, int] = {}
        todo = [(entry, ENTRY) for entry in self.entries]
        while todo:
            pc, dirty = todo.pop()
            if pc in before and before[pc] | dirty == before[pc]:
                continue
            dirty |= before.get(pc, 0)
            before[pc] = dirty
            here = self.registers[pc]
            if self.rows[pc][row.OPCODE] == op.WARPGROUP_FENCE:
                dirty = 0
            else:
                dirty |= here.writes
                for bit in _bits(here.writes):
                    writers[bit] = pc
            todo += [(following, dirty) for following in self._next(pc)]
        for pc in self.products:
            own, dirty = self.registers[pc], before.get(pc, 0)
            written = dirty & (own.sums | own.of_a)
            if written:
                yield Trouble("missing wgmma fence", pc, writers[written & -written], self._name(written))
            elif dirty & ENTRY:
                yield Trouble("missing wgmma fence", pc, -1, "")

    def _name(self, mask: int) -> str:
        lowest = mask & -mask
        return next(name for name, bit in self.bits.items() if bit == lowest)


def _operands(text: str) -> list[str]:
    body = _GUARD.sub("", text).rstrip(";").strip()
    _, _, rest = body.partition(" ")
    return [part.strip() for part in split_operands(rest)] if rest.strip() else []


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield mask & -mask
        mask &= mask - 1
