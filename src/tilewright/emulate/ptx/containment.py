"""Checks at load that no row of integers names memory outside of its function.

Compiled code trusts the rows: it adds their offsets to the address of a frame, and reads and writes there. Types were
checked before (type_check.py); this check knows neither types nor text. Each row's slots must lie in its function's
frame or among the constants, at a multiple of what a vector access needs; each jump must stay in its function; each
copy of parameters in the local memory of caller and callee.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.ptx.encoded_module import FunctionCode, ModuleCode
from tilewright.emulate.ptx.slots import NARROW, PREDICATE, WIDE, ContainmentError, Slots, touched_slots


def check_containment(code: ModuleCode) -> None:
    """Raise ContainmentError for the first row of a module that could leave its function's memory."""
    rows = np.array(code.rows, np.int64).reshape(-1, row.COLUMNS)
    slots = touched_slots(code, rows)
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


def _outside(
    rows: NDArray[np.int64], slots: Slots, frames: NDArray[np.int64], constant_bytes: int
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


def _stays(code: ModuleCode, function: FunctionCode, line: NDArray[np.int64], slots: Slots, number: int) -> bool:
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
