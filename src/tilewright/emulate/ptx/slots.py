"""Which slots each row of a module reads and writes: what checks at load and slices of a kernel go by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate.arithmetic.table import TABLE
from tilewright.emulate.arithmetic.vectors import SLOT_BYTES
from tilewright.emulate.execute import scalar_operations as scalar
from tilewright.emulate.faults import EmulationError
from tilewright.emulate.ptx.encoded_module import ModuleCode

RESULTS = (row.RESULT, row.EXTRA_1, row.EXTRA_2, row.EXTRA_3)
OPERANDS = (row.OPERAND_A, row.OPERAND_B, row.OPERAND_C, row.OPERAND_D)
PREDICATE, NARROW, WIDE = 4, SLOT_BYTES[32], SLOT_BYTES[64]
_BYTES = {"p": PREDICATE, "i16": NARROW, "i32": NARROW, "f32": NARROW, "i64": WIDE, "f64": WIDE, "imm": 0}


class ContainmentError(EmulationError):
    """A row that would touch memory outside of its function: an error of the emulator's, found before it does harm."""


@dataclass
class Slots:
    """Bytes that each row touches at the slots its columns name: `written` in the frame only, `read` anywhere."""

    written: NDArray[np.int64]
    read: NDArray[np.int64]


def touched_slots(code: ModuleCode, rows: NDArray[np.int64]) -> Slots:
    """Return what each row touches, by column; what lies in tables (`code.tables`) is not among it.

    Raises ContainmentError: a row has a kind that there is not.
    """
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
    return Slots(written, read)


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
