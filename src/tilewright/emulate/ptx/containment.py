"""Checks at load that no row of integers names memory outside of its function.

Compiled code trusts the rows: it adds their offsets to the address of a frame, and reads and writes there. Types were
checked before (type_check.py); this check knows neither types nor text. Each row's slots must lie in its function's
frame or among the constants, at a multiple of what a vector access needs; each jump must stay in its function; each
copy of parameters in the local memory of caller and callee.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.arithmetic.table import TABLE
from tilewright.emulate.arithmetic.vectors import SLOT_BYTES
from tilewright.emulate.execute import scalar_operations as scalar
from tilewright.emulate.faults import EmulationError
from tilewright.emulate.ptx.encoded_module import FunctionCode, ModuleCode

RESULTS = (row.RESULT, row.EXTRA_1, row.EXTRA_2, row.EXTRA_3)
OPERANDS = (row.OPERAND_A, row.OPERAND_B, row.OPERAND_C, row.OPERAND_D)
PREDICATE, NARROW, WIDE = 4, SLOT_BYTES[32], SLOT_BYTES[64]
_BYTES = {"p": PREDICATE, "i16": NARROW, "i32": NARROW, "f32": NARROW, "i64": WIDE, "f64": WIDE, "imm": 0}


class ContainmentError(EmulationError):
    """A row that would touch memory outside of its function: an error of the emulator's, found before it does harm."""


@dataclass
class _Slots:
    """Bytes that each row touches at the slots its columns name: `written` in the frame only, `read` anywhere."""

    written: NDArray[np.int64]
    read: NDArray[np.int64]


def check_containment(code: ModuleCode) -> None:
    """Raise ContainmentError for the first row of a module that could leave its function's memory."""
    rows = np.array(code.rows, np.int64).reshape(-1, row.COLUMNS)
    slots = _touched(code, rows)
    frames, firsts, lasts = (np.zeros(len(rows), np.int64) for _ in range(3))
    if not code.functions:
        return
    ordered = sorted(code.functions.values(), key=lambda function: function.entry)
    ends = [*(function.entry for function in ordered[1:]), len(rows)]
    for function, end in zip(ordered, ends, strict=True):
        frames[function.entry : end] = function.frame_bytes
        firsts[function.entry : end], lasts[function.entry : end] = function.entry, end
    bad = _outside(rows, slots, frames, code.constants.nbytes) | _astray(code, rows, firsts, lasts)
    for function, end in zip(ordered, ends, strict=True):
        for number in _special_rows(rows, function.entry, end):
            if not _stays(code, function, rows[number], slots, number):
                bad[number] = True
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise ContainmentError(f"the instruction {code.texts[first]!r} would leave its function's registers")


def _touched(code: ModuleCode, rows: NDArray[np.int64]) -> _Slots:
    """Return what each row touches, by column."""
    opcodes = rows[:, row.OPCODE]
    written, read = np.zeros_like(rows), np.zeros_like(rows)
    is_vector = opcodes < len(TABLE)
    known = np.where(is_vector, opcodes, 0)
    written[is_vector], read[is_vector] = _VECTOR_WRITES[known[is_vector]], _VECTOR_READS[known[is_vector]]
    _touched_by_scalars(rows, written, read)
    _touched_by_accesses(rows, written, read)
    for number in np.flatnonzero(opcodes > op.LAST_MEMORY):
        need = _NEEDS.get(int(opcodes[number]))
        if need is None:
            continue
        try:
            needs = need(rows[number])
        except IndexError:
            raise ContainmentError(f"the instruction {code.texts[number]!r} is of a kind that there is not") from None
        for column, nbytes in needs:
            (written if nbytes < 0 else read)[number, column] = abs(nbytes)
    return _Slots(written, read)


def _table_of(columns: tuple[int, ...], part: str) -> NDArray[np.int64]:
    table = np.zeros((len(TABLE), row.COLUMNS), np.int64)
    for number, operation in enumerate(TABLE):
        kinds = getattr(operation, part)
        for column, kind in zip(columns, kinds, strict=False):
            table[number, column] = _BYTES[kind]
    return table


_VECTOR_WRITES = _table_of(RESULTS[:2], "results")
_VECTOR_READS = _table_of(OPERANDS, "operands")


def _touched_by_scalars(rows: NDArray[np.int64], written: NDArray[np.int64], read: NDArray[np.int64]) -> None:
    """Scalar operations read three operands, and the lower half of a fourth, whether they need them or not."""
    chosen = np.flatnonzero(rows[:, row.OPCODE] == op.SCALAR)
    flags, kinds = rows[chosen, row.EXTRA_3], rows[chosen, row.KIND]
    is_test = (kinds == scalar.TEST_32) | (kinds == scalar.TEST_64)
    written[chosen, row.RESULT] = np.where(is_test, PREDICATE, np.where(flags & 1, WIDE, NARROW))
    for place, column in enumerate(OPERANDS[:3]):
        read[chosen, column] = np.where(flags & (2 << place), WIDE, NARROW)
    read[chosen, row.OPERAND_D] = NARROW


def _touched_by_accesses(rows: NDArray[np.int64], written: NDArray[np.int64], read: NDArray[np.int64]) -> None:
    """Loads and stores: an address, and a register for each element."""
    opcodes = rows[:, row.OPCODE]
    chosen = np.flatnonzero((opcodes >= op.LOAD_GLOBAL) & (opcodes <= op.LAST_MEMORY))
    opcodes, kinds = opcodes[chosen], rows[chosen, row.KIND]
    is_narrow = np.isin(opcodes, (op.LOAD_SHARED, op.STORE_SHARED, op.LOAD_LOCAL, op.STORE_LOCAL))
    is_store = np.isin(opcodes, (op.STORE_GLOBAL, op.STORE_SHARED, op.STORE_LOCAL, op.STORE_GENERIC))
    read[chosen, row.OPERAND_A] = np.where(is_narrow, NARROW, WIDE)
    # 32 bits are gathered for an element of 4 bytes, 64 for one of 8, whatever the register's width should be.
    element = kinds & op.BYTES_MASK
    wide = ((kinds & op.WIDE) != 0) | (((kinds & op.FAST) != 0) & (element == 8))
    nbytes = np.where(wide, WIDE, NARROW)
    elements = (kinds >> op.VECTOR_SHIFT) & op.VECTOR_MASK
    read[chosen, row.OPERAND_C] = np.where(is_store, nbytes, 0)
    written[chosen, row.RESULT] = np.where(is_store, 0, nbytes)
    for place, column in enumerate(RESULTS[1:], 1):
        has = elements > place
        read[chosen, column] = np.where(has & is_store, nbytes, 0)
        written[chosen, column] = np.where(has & ~is_store, nbytes, 0)


Needs = list[tuple[int, int]]
"""Columns that name slots, and how many bytes of each are read, or (negative) written."""


def _needs_of_special(line: NDArray[np.int64]) -> Needs:
    return [(row.RESULT, -(WIDE if line[row.IMMEDIATE] == 64 else NARROW))]


def _needs_of_atomic(line: NDArray[np.int64]) -> Needs:
    nbytes = WIDE if op.ATOMIC_TYPES[int(line[row.KIND])][1:] == "64" else NARROW
    address = NARROW if op.ATOMIC_SPACES[int(line[row.EXTRA_3])] == "shared" else WIDE
    needs = [(row.OPERAND_A, address), (row.OPERAND_B, nbytes)]
    if op.ATOMIC_OPERATIONS[int(line[row.IMMEDIATE])] == "cas":
        needs.append((row.OPERAND_C, nbytes))
    return needs + ([(row.RESULT, -nbytes)] if line[row.RESULT] != -1 else [])


def _needs_of_warp_sync(line: NDArray[np.int64]) -> Needs:
    name = op.WARP_OPERATIONS[int(line[row.KIND])]
    family = name.partition(".")[0]
    needs = [(row.OPERAND_D, NARROW)]
    if family == "vote":
        needs += [(row.OPERAND_A, PREDICATE), (row.RESULT, -(NARROW if name == "vote.ballot" else PREDICATE))]
    else:
        # A barrier brings the lanes' values, too: those at offset 0, which nobody looks at.
        needs.append((row.OPERAND_A, WIDE if line[row.IMMEDIATE] == 64 else NARROW))
        needs += [] if family == "barrier" else [(row.RESULT, -NARROW)]
    if family == "shfl":
        needs += [(row.OPERAND_B, NARROW), (row.OPERAND_C, NARROW)]
    if family == "elect" or (family in ("shfl", "match") and line[row.EXTRA_1] != -1):
        needs.append((row.EXTRA_1, -PREDICATE))
    return needs


def _needs_of_barrier(line: NDArray[np.int64]) -> Needs:
    needs = [(row.OPERAND_A, NARROW)]
    if line[row.IMMEDIATE]:
        needs.append((row.OPERAND_B, NARROW))
    if line[row.KIND] >= op.BARRIER_POPC:
        needs.append((row.OPERAND_C, PREDICATE))
        needs.append((row.RESULT, -(NARROW if line[row.KIND] == op.BARRIER_POPC else PREDICATE)))
    return needs


def _needs_of_copy(line: NDArray[np.int64]) -> Needs:
    needs = [(row.OPERAND_A, WIDE), (row.OPERAND_B, NARROW)]
    if line[row.EXTRA_1] != op.COPY_ALL:
        needs.append((row.OPERAND_C, PREDICATE if line[row.EXTRA_1] == op.COPY_UNLESS else NARROW))
    return needs


def _needs_of_matrix(line: NDArray[np.int64]) -> Needs:
    nbytes = -NARROW if line[row.OPCODE] == op.LOAD_MATRIX else NARROW
    return [(row.OPERAND_A, NARROW)] + [(column, nbytes) for column in RESULTS[: max(int(line[row.OPERAND_B]), 1)]]


def _needs_of_warpgroup(line: NDArray[np.int64]) -> Needs:
    needs = [(row.OPERAND_B, WIDE), (row.OPERAND_C, PREDICATE)]
    return needs if line[row.KIND] & op.MATRIX_A_IN_REGISTERS else [(row.OPERAND_A, WIDE), *needs]


def _needs_of_cluster(line: NDArray[np.int64]) -> Needs:
    kind, nbytes = line[row.KIND], WIDE if line[row.IMMEDIATE] == 64 else NARROW
    if kind == op.CLUSTER_MAP:
        return [(row.OPERAND_A, nbytes), (row.OPERAND_B, NARROW), (row.RESULT, -nbytes)]
    return [(row.OPERAND_A, nbytes), (row.RESULT, -NARROW)] if kind == op.CLUSTER_RANK else []


def _needs_of_mbarrier(line: NDArray[np.int64]) -> Needs:
    name = op.MBARRIER_OPERATIONS[int(line[row.KIND])]
    needs = [] if name == "pending_count" else [(row.OPERAND_A, WIDE)]
    needs.append((row.OPERAND_B, WIDE if name in ("test_wait", "try_wait", "pending_count") else NARROW))
    if line[row.RESULT] != -1:
        nbytes = PREDICATE if "wait" in name else NARROW if name == "pending_count" else WIDE
        needs.append((row.RESULT, -nbytes))
    return needs


_NEEDS = {
    op.SPECIAL: _needs_of_special,
    op.ATOMIC: _needs_of_atomic,
    op.WARP_SYNC: _needs_of_warp_sync,
    op.BARRIER: _needs_of_barrier,
    op.BRANCH_TABLE: lambda line: [(row.OPERAND_A, NARROW)],
    op.CALL_INDIRECT: lambda line: [(row.OPERAND_A, WIDE)],
    op.LOCAL_ADDRESS: lambda line: [(row.RESULT, -(WIDE if line[row.KIND] == 64 else NARROW))],
    op.SPACE_TEST: lambda line: [(row.OPERAND_A, WIDE), (row.RESULT, -PREDICATE)],
    op.ASYNC_COPY: _needs_of_copy,
    **dict.fromkeys((op.LOAD_MATRIX, op.STORE_MATRIX), _needs_of_matrix),
    op.TURN_MATRIX: lambda line: [(row.OPERAND_A, NARROW), (row.RESULT, -NARROW)],
    op.WARPGROUP_MULTIPLY: _needs_of_warpgroup,
    op.CLUSTER: _needs_of_cluster,
    op.MBARRIER: _needs_of_mbarrier,
    op.HALF_ATOMIC: _needs_of_atomic,
}


def _outside(
    rows: NDArray[np.int64], slots: _Slots, frames: NDArray[np.int64], constant_bytes: int
) -> NDArray[np.bool_]:
    """Say which rows have a slot that is neither in the frame nor (if it is only read) among the constants."""
    space = frames[:, None]
    in_frame = (rows >= 0) & (rows + slots.written <= space) & (rows + slots.read <= space)
    constants = ~rows
    in_constants = (rows < 0) & (slots.written == 0) & (constants + slots.read <= constant_bytes)
    nbytes = np.maximum(slots.written, slots.read)
    step = np.where(nbytes == PREDICATE, PREDICATE, 64)
    is_aligned = np.where(rows >= 0, rows, constants) % step == 0
    bad: NDArray[np.bool_] = ((nbytes > 0) & ~((in_frame | in_constants) & is_aligned)).any(axis=1)
    guards = rows[:, row.GUARD]
    return bad | (guards < 0) | (guards + PREDICATE > frames) | (guards % PREDICATE != 0)


def _astray(
    code: ModuleCode, rows: NDArray[np.int64], firsts: NDArray[np.int64], lasts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Say which rows are unknown, jump out of their function, or have a kind of memory access that does not exist."""
    opcodes = rows[:, row.OPCODE]
    is_branch = opcodes == op.BRANCH
    parts = is_branch | (opcodes == op.BRANCH_TABLE)
    targets, meetings = rows[:, row.TARGET], rows[:, row.RECONVERGENCE]
    bad = (opcodes < 0) | (opcodes > op.LAST)
    bad |= is_branch & ((targets < firsts) | (targets >= lasts))
    bad |= parts & (meetings != -1) & ((meetings < firsts) | (meetings >= lasts))
    is_access = (opcodes >= op.LOAD_GLOBAL) & (opcodes <= op.LAST_MEMORY)
    kinds = rows[:, row.KIND]
    elements = (kinds >> op.VECTOR_SHIFT) & op.VECTOR_MASK
    bad |= is_access & ~(np.isin(kinds & op.BYTES_MASK, (1, 2, 4, 8)) & np.isin(elements, (1, 2, 4)))
    bad |= (rows[:, row.LINE] < 0) | (rows[:, row.LINE] >= len(code.lines))
    return bad


_PRODUCTS = (op.MULTIPLY_MATRICES, op.MULTIPLY_FLOAT64, op.WARPGROUP_MULTIPLY)
_SPECIAL = (*(op.BRANCH_TABLE, op.CALL, op.CALL_INDIRECT, op.PRINT, op.ASSERT, op.ASYNC_COPY), op.BULK_COPY, *_PRODUCTS)


def _special_rows(rows: NDArray[np.int64], first: int, last: int) -> list[int]:
    return [first + int(n) for n in np.flatnonzero(np.isin(rows[first:last, row.OPCODE], _SPECIAL))]


def _stays(code: ModuleCode, function: FunctionCode, line: NDArray[np.int64], slots: _Slots, number: int) -> bool:
    """Say whether a row that uses a table, or local memory by its offset, stays within them."""
    opcode, immediate, kind = int(line[row.OPCODE]), int(line[row.IMMEDIATE]), int(line[row.KIND])
    if opcode == op.ASYNC_COPY:
        return kind >> op.VECTOR_SHIFT in (1, 2, 4)
    if opcode == op.BRANCH_TABLE:
        last = _end_of(code, function)
        targets = code.tables[immediate : immediate + kind]
        return immediate >= 0 and 0 < kind == len(targets) and all(function.entry <= t < last for t in targets)
    if opcode == op.BULK_COPY:
        return _copies_within(code, function, immediate, kind)
    if opcode in _PRODUCTS:
        return _multiplies_within(code, function, line)
    if opcode == op.PRINT:
        places = [(immediate, 8), (int(line[row.OPERAND_D]), 8)]
        places += [(int(line[row.EXTRA_1]), 4)] if line[row.EXTRA_1] != -1 else []
        return all(0 <= at <= function.local_bytes - nbytes for at, nbytes in places)
    if opcode == op.ASSERT:
        columns = ((immediate, 8), (line[row.OPERAND_D], 8), (line[row.EXTRA_1], 4), (line[row.EXTRA_2], 8))
        return all(0 <= at <= function.local_bytes - nbytes for at, nbytes in columns)
    return 0 <= kind < len(code.calls) and _passes_within(code, function, code.calls[kind])


def _copies_within(code: ModuleCode, function: FunctionCode, first: int, kind: int) -> bool:
    """Say whether the slots of a copy in bulk, which lie in a table, are its function's."""
    widths = [NARROW] * op.BULK_SLOTS
    widths[op.BULK_TARGET] = widths[op.BULK_SOURCE] = widths[op.BULK_BARRIER] = WIDE
    if kind & op.BULK_VALUES:
        number = (kind >> op.BULK_TYPE_SHIFT) & 15
        if number >= op.FIRST_HALF_TYPE:
            return False
        width = WIDE if op.BULK_TYPES[number].endswith("64") else NARROW
        widths[op.BULK_COORDINATES :] = [width] * (op.BULK_SLOTS - op.BULK_COORDINATES)
    slots = code.tables[first : first + op.BULK_SLOTS]
    if first < 0 or len(slots) != op.BULK_SLOTS:
        return False
    ends = [(slot, function.frame_bytes) if slot >= 0 else (~slot, code.constants.nbytes) for slot in slots]
    return all(at % 64 == 0 and at + width <= end for (at, end), width in zip(ends, widths, strict=True))


def _multiplies_within(code: ModuleCode, function: FunctionCode, line: NDArray[np.int64]) -> bool:
    """Say whether a product's slots, which lie in a table with the targets first, are its function's."""
    opcode, kind, first = int(line[row.OPCODE]), int(line[row.KIND]), int(line[row.IMMEDIATE])
    width, written, count = NARROW, 0, 0
    if opcode == op.MULTIPLY_FLOAT64:
        if not 0 <= kind < len(op.FLOAT64_PRODUCTS):
            return False
        width, written, count = WIDE, op.FLOAT64_PRODUCTS[kind][0] // 4, op.FLOAT64_SLOTS
    elif not op.is_matrix_kind(kind):
        return False
    elif opcode == op.MULTIPLY_MATRICES:
        written, count_a, count_b = op.matrix_slots(kind)
        count = 2 * written + count_a + count_b
    else:
        columns = int(line[row.EXTRA_1])
        if columns % 8 or not 8 <= columns <= 256 or kind & op.MATRIX_SHORT:
            return False
        written = columns // 8 * op.matrix_slots(kind)[0]
        count = written + (4 if kind & op.MATRIX_A_IN_REGISTERS else 0)
    slots = code.tables[first : first + count]
    limit, constants = function.frame_bytes - width, code.constants.nbytes - width
    are_read = all(slot <= limit if slot >= 0 else ~slot <= constants for slot in slots)
    are_aligned = all((slot if slot >= 0 else ~slot) % 64 == 0 for slot in slots)
    return first >= 0 and len(slots) == count and min(slots[:written]) >= 0 and are_read and are_aligned


def _end_of(code: ModuleCode, function: FunctionCode) -> int:
    return min((f.entry for f in code.functions.values() if f.entry > function.entry), default=len(code.rows))


def _passes_within(code: ModuleCode, caller: FunctionCode, site: list[int]) -> bool:
    """Say whether a call's parameters and results are copied within the local memory of both functions."""
    callee_bytes = site[st.CALL_CALLEE_LOCAL]
    arguments = code.copies[site[st.CALL_FIRST_IN] : site[st.CALL_LAST_IN]]
    results = code.copies[site[st.CALL_FIRST_OUT] : site[st.CALL_LAST_OUT]]
    pairs = [(source, target, n) for source, target, n in arguments]
    pairs += [(target, source, n) for source, target, n in results]
    return all(
        n >= 0 and 0 <= ours <= caller.local_bytes - n and 0 <= theirs <= callee_bytes - n for ours, theirs, n in pairs
    )
