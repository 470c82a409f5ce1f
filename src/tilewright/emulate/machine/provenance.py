"""Where addresses come from: which arrays the address of each access may have been computed from, and their extents.

The registers of a kernel are followed from the names of arrays and from parameters through moves, sums, selections and
calls, each register as one set over the whole function. An address loaded from memory may point anywhere and is not
checked. So an index that runs from one array into the next is found, although the bytes there are allocated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.arithmetic.table import TABLE
from tilewright.emulate.execute.addresses import GLOBAL, LOCAL, SHARED
from tilewright.emulate.ptx.symbols import plain_name

if TYPE_CHECKING:
    from tilewright.emulate.machine.launch import Launch
    from tilewright.emulate.machine.module import LoadedModule
    from tilewright.emulate.ptx.encoded_module import FunctionCode

Origin = tuple[str, int]
"""("shared", first byte), ("dynamic", 0), ("parameter", its offset), ("variable", its number), ("local", 0)."""
Origins = frozenset[Origin]
NOTHING: Origins = frozenset()
ANYWHERE: Origin = ("anywhere", 0)
ANYTHING: Origins = frozenset({ANYWHERE})
OPERANDS = (row.OPERAND_A, row.OPERAND_B, row.OPERAND_C, row.OPERAND_D)
ELEMENTS = (row.EXTRA_1, row.EXTRA_2, row.EXTRA_3)
LOADS = (op.LOAD_GLOBAL, op.LOAD_SHARED, op.LOAD_LOCAL, op.LOAD_CONSTANT, op.LOAD_GENERIC)
STORES = (op.STORE_GLOBAL, op.STORE_SHARED, op.STORE_LOCAL, op.STORE_GENERIC)


@dataclass(frozen=True, slots=True)
class Extent:
    """An array: its memory (addresses.SHARED, GLOBAL or LOCAL), its first byte, the byte behind its last, its name."""

    space: int
    low: int
    high: int
    name: str


def _either(first: Origins, second: Origins) -> Origins:
    """Return the origins of a value that is one or the other."""
    together = first | second
    return ANYTHING if ANYWHERE in together else together


def _combined(*parts: Origins) -> Origins:
    """Return the origins of a sum of an address and numbers; a sum of two addresses is unknown."""
    known = [part for part in parts if part]
    if not known:
        return NOTHING
    return known[0] if len(known) == 1 else ANYTHING


def _difference(first: Origins, second: Origins) -> Origins:
    """Return the origins of `first - second`: of two addresses in one array it is a number."""
    if not second:
        return first
    return NOTHING if first == second and len(first) == 1 and first != ANYTHING else ANYTHING


def _transfer(key: str, parts: list[Origins]) -> Origins:
    """Return the origins of a vector instruction's result by those of its operands."""
    name, *kinds = key.split(".")
    if kinds[-1] in ("p", "f32", "f64", "i16") or name.startswith("setp"):
        return NOTHING
    if name in ("mov", "unpack"):
        return parts[0]
    if name == "ext":
        return parts[0] if kinds[0][1:] in ("32", "64") else NOTHING
    if name in ("selp", "min", "max", "pack"):
        return _either(parts[0], parts[1])
    if name in ("sub", "subc"):
        return _difference(parts[0], parts[1])
    if name in ("add", "addc", "or", "xor", "and", "lop3"):
        return _combined(*parts)
    if name == "mad":
        return _combined(parts[2])
    return NOTHING


class _Flow:
    """The fixed point of one kernel: origins per register, and per byte of the parameters of calls."""

    def __init__(self, launch: Launch, pointers: frozenset[int]) -> None:
        self.module, self.pointers = launch.module, pointers
        code = self.module.code
        self.rows, self.texts = code.rows, code.texts
        self.sources = {~offset: source for source, _, offset in code.constants.sources}
        self.functions = self.module.reachable(launch.kernel)
        entries = sorted(f.entry for f in code.functions.values())
        self.ends = dict(zip(entries, [*entries[1:], len(self.rows)], strict=True))
        self.by_entry = {f.entry: f for f in self.functions}
        self.has_pointer_calls = any(f.calls_pointers for f in self.functions)
        self.slots: dict[tuple[int, int], Origins] = {}
        self.cells: dict[tuple[int, int], Origins] = {}
        self.changed = True

    def solve(self) -> dict[int, Origins]:
        """Return the origins of the address of every access, by row."""
        while self.changed:
            self.changed = False
            for function in self.functions:
                for pc in range(function.entry, self.ends[function.entry]):
                    self._step(function, pc)
        return {
            pc: self._read(function, pc, self.rows[pc][row.OPERAND_A])
            for function in self.functions
            for pc in range(function.entry, self.ends[function.entry])
            if self.rows[pc][row.OPCODE] in (*LOADS, *STORES, op.LOAD_MATRIX, op.STORE_MATRIX, op.ATOMIC)
            and not (self.rows[pc][row.OPCODE] != op.ATOMIC and self.rows[pc][row.KIND] & op.FRAME_RELATIVE)
        } | self._origins_of_copies()

    def _origins_of_copies(self) -> dict[int, Origins]:
        """Return those of asynchronous copies, which have two addresses; both must be known."""
        found = {}
        for function in self.functions:
            for pc in range(function.entry, self.ends[function.entry]):
                if self.rows[pc][row.OPCODE] == op.ASYNC_COPY:
                    source, target = (
                        self._read(function, pc, self.rows[pc][c]) for c in (row.OPERAND_A, row.OPERAND_B)
                    )
                    found[pc] = _either(source, target) if source and target else NOTHING
        return found

    def _read(self, function: FunctionCode, pc: int, slot: int) -> Origins:
        if slot >= 0:
            return self.slots.get((function.entry, slot), NOTHING)
        kind, value, extra = self.sources[slot]
        if kind == "shared":
            return frozenset({("shared", self._array_named(function, pc, value))})
        if kind == "parameter":
            return frozenset({("parameter", value)}) if value in self.pointers and extra == 8 else NOTHING
        if kind in ("dynamic", "variable"):
            return frozenset({(kind, 0 if kind == "dynamic" else value)})
        return ANYTHING if kind == "parameters" else NOTHING

    def _array_named(self, function: FunctionCode, pc: int, offset: int) -> int:
        """Return the first byte of the shared array that an instruction names, by its text or else by the offset."""
        arrays = [array for f in (function, *self.functions) for array in f.shared]
        for name, first, _ in arrays:
            if re.search(rf"(?<![$\w]){re.escape(name.split('@')[0])}(?![$\w])", self.texts[pc]):
                return first
        inside = [first for _, first, nbytes in arrays if first <= offset < first + nbytes]
        return inside[0] if inside else offset

    def _write(self, function: FunctionCode, slot: int, origins: Origins) -> None:
        self._join(self.slots, (function.entry, slot), origins)

    def _join(self, table: dict[tuple[int, int], Origins], key: tuple[int, int], origins: Origins) -> None:
        before = table.get(key, NOTHING)
        after = _either(before, origins)
        if after != before:
            table[key] = after
            self.changed = True

    def _step(self, function: FunctionCode, pc: int) -> None:
        columns = self.rows[pc]
        opcode = columns[row.OPCODE]
        if opcode < len(TABLE):
            operation = TABLE[opcode]
            count = sum(kind != "imm" for kind in operation.operands)
            parts = [self._read(function, pc, columns[column]) for column in OPERANDS[:count]]
            origins = _transfer(operation.key, parts)
            for column, _ in zip((row.RESULT, row.EXTRA_1), operation.results, strict=False):
                self._write(function, columns[column], origins)
        elif opcode in LOADS:
            self._load(function, pc)
        elif opcode in STORES:
            self._store(function, pc)
        elif opcode == op.LOCAL_ADDRESS:
            self._write(function, columns[row.RESULT], frozenset({("local", 0)}))
        elif opcode == op.CALL:
            self._call(function, pc)
        elif opcode == op.SCALAR:
            parts = [self._read(function, pc, columns[column]) for column in OPERANDS]
            self._write(function, columns[row.RESULT], ANYTHING if any(parts) else NOTHING)
        elif opcode == op.WARP_SYNC and op.WARP_OPERATIONS[columns[row.KIND]].startswith("shfl"):
            self._write(function, columns[row.RESULT], self._read(function, pc, columns[row.OPERAND_A]))
        elif opcode == op.ATOMIC and columns[row.RESULT] >= 0:
            is_wide = op.ATOMIC_TYPES[columns[row.KIND]].endswith("64")
            self._write(function, columns[row.RESULT], ANYTHING if is_wide else NOTHING)

    def _elements(self, pc: int, first: int) -> Iterator[tuple[int, int]]:
        """Yield register and byte of each element of a load or store."""
        columns = self.rows[pc]
        kind = columns[row.KIND]
        count = (kind >> op.VECTOR_SHIFT) & op.VECTOR_MASK
        for index, column in enumerate((first, *ELEMENTS)[:count]):
            yield columns[column], columns[row.IMMEDIATE] + (kind & op.BYTES_MASK) * index

    def _load(self, function: FunctionCode, pc: int) -> None:
        """A 64-bit value from memory may point anywhere; a narrow one is a number; a parameter is what was passed."""
        kind = self.rows[pc][row.KIND]
        may_point = kind & op.BYTES_MASK == 8
        for register, byte in self._elements(pc, row.RESULT):
            origins = ANYTHING if may_point else NOTHING
            if kind & op.FRAME_RELATIVE and not self.has_pointer_calls:
                origins = self.cells.get((function.entry, byte), NOTHING)
            self._write(function, register, origins)

    def _store(self, function: FunctionCode, pc: int) -> None:
        if self.rows[pc][row.KIND] & op.FRAME_RELATIVE:
            for register, byte in self._elements(pc, row.OPERAND_C):
                self._join(self.cells, (function.entry, byte), self._read(function, pc, register))

    def _call(self, function: FunctionCode, pc: int) -> None:
        """Pass on the origins of arguments and results."""
        code = self.module.code
        site = code.calls[self.rows[pc][row.KIND]]
        callee = self.by_entry[site[st.CALL_TARGET]]
        for first, last, giver, taker in (
            (site[st.CALL_FIRST_IN], site[st.CALL_LAST_IN], function, callee),
            (site[st.CALL_FIRST_OUT], site[st.CALL_LAST_OUT], callee, function),
        ):
            for source, target, nbytes in code.copies[first:last]:
                for (entry, byte), origins in list(self.cells.items()):
                    if entry == giver.entry and source <= byte < source + nbytes:
                        self._join(self.cells, (taker.entry, byte - source + target), origins)


def extents_of_accesses(launch: Launch) -> dict[int, tuple[Extent, ...]]:
    """Return, by row, the arrays that the address of a load, store or atomic may have been computed from.

    Accesses whose address may come from anywhere are left out.
    """
    pointers = _pointers(launch)
    extents: dict[Origin, list[Extent]] = {("parameter", offset): [found] for offset, found in pointers.items()}
    for function in launch.module.reachable(launch.kernel):
        for name, first, nbytes in function.shared:
            low = launch.reserved_bytes + first
            extents["shared", first] = [Extent(SHARED, low, low + nbytes, plain_name(name))]
    names = [name for name, first, _ in launch.shared_layout if first >= launch.dynamic_offset]
    last = launch.dynamic_offset + launch.dynamic_shared_bytes
    dynamic = names[0] if names else "dynamic shared memory"
    extents["dynamic", 0] = [Extent(SHARED, launch.dynamic_offset, last, dynamic)]
    for number, allocation in enumerate(launch.module.variable_list):
        if allocation is not None:
            end = allocation.address + allocation.nbytes
            extents["variable", number] = [Extent(GLOBAL, allocation.address, end, plain_name(allocation.name))]
    extents["local", 0] = [Extent(LOCAL, 0, launch.local_bytes, "local memory")]
    result = {}
    for pc, origins in _origins_of_accesses(launch, frozenset(pointers)).items():
        if origins and all(origin in extents for origin in origins):
            found = {extent for origin in origins for extent in extents[origin]}
            result[pc] = tuple(sorted(found, key=lambda extent: (extent.space, extent.low)))
    return result


_KNOWN: WeakKeyDictionary[LoadedModule, dict[tuple[str, frozenset[int]], dict[int, Origins]]] = WeakKeyDictionary()
"""The origins in a kernel, by the places of the pointers among its parameters: they are the same for every launch."""


def _origins_of_accesses(launch: Launch, pointers: frozenset[int]) -> dict[int, Origins]:
    known = _KNOWN.setdefault(launch.module, {})
    if (launch.kernel, pointers) not in known:
        known[launch.kernel, pointers] = _Flow(launch, pointers).solve()
    return known[launch.kernel, pointers]


def _pointers(launch: Launch) -> dict[int, Extent]:
    """Return the allocation that each pointer among the kernel's arguments leads to, by its byte in the parameters."""
    found = {}
    for offset in range(0, len(launch.parameter_bytes) - 7, 8):
        value = int.from_bytes(launch.parameter_bytes[offset : offset + 8], "little")
        for allocation in launch.allocations:
            # A pointer to the end of an array belongs to it: no two allocations touch.
            if allocation.address <= value <= allocation.address + allocation.nbytes:
                end = allocation.address + allocation.nbytes
                found[offset] = Extent(GLOBAL, allocation.address, end, plain_name(allocation.name))
    return found
